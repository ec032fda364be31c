package io.penstock.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.proxy.Fault;
import io.penstock.testkit.proxy.FaultProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rows 2 and 3: the program is killed when bulks are applied, or dead letters written, and no checkpoint says so. The
 * proxy holds the first answer back, so that the watermark cannot move, and lets the following ones pass, so that their
 * documents are applied and their dead letters written.
 */
@Tag("torture")
@RealNode
class CrashWindowIT {
    private static final PlantedDocuments PLANTED = PlantedDocuments.of(5_000, 2);
    private static final String INDEX = "windows";

    @TempDir
    Path folder;

    private RealCluster node;
    private FaultProxy proxy;

    @BeforeEach
    void startProxy(RealCluster cluster) {
        node = cluster;
        proxy = FaultProxy.start(cluster.url());
    }

    @AfterEach
    void end() {
        proxy.close();
        node.call("DELETE", "/" + INDEX, "");
    }

    static Stream<List<String>> operations() {
        return Stream.of(
                List.of(),
                List.of("--op", "create"),
                List.of("--id-field", "key"),
                List.of("--id-field", "key", "--op", "create"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("operations")
    void killedBetweenAcknowledgementAndCheckpointSendsAgainAndDoublesNothing(List<String> operation) throws Exception {
        proxy.script(new Fault.Hang());
        Path file = PLANTED.write(folder.resolve("in.ndjson"));
        Path mapping = Files.writeString(folder.resolve("mapping.json"), PlantedDocuments.MAPPING);
        String[] options = Stream.concat(
                        Stream.of(
                                "--mapping",
                                mapping.toString(),
                                "--replicas",
                                "0",
                                "--bulk-bytes",
                                "64kb",
                                "--concurrency",
                                "4"),
                        operation.stream())
                .toArray(String[]::new);
        try (var program = new Program(folder)) {
            Program.Running running = program.load(proxy.url(), file, INDEX, options);
            await().atMost(60, TimeUnit.SECONDS)
                    .until(() -> node.call("HEAD", "/" + INDEX, "").status() == 200
                            && node.count(INDEX) == PLANTED.goodCount()
                            && Files.exists(program.deadLetters())
                            && Files.size(program.deadLetters()) > 0);
            running.kill();
            long checkpointed = program.checkpointed();
            assertThat(checkpointed).as("all applied, not all checkpointed").isLessThan(PLANTED.count() / 2);

            Program.Ended ended =
                    program.load(proxy.url(), file, INDEX, options).end();
            new Proof(node, PLANTED, INDEX).complete(program, ended);
            int letters = Proof.letters(program.deadLetters()).size();
            assertThat(letters)
                    .as("each dead letter twice at most")
                    .isBetween(PLANTED.bad().cardinality(), 2 * PLANTED.bad().cardinality());
            boolean creates = operation.contains("create");
            long most = creates ? PLANTED.goodCount() : 2L * PLANTED.goodCount();
            assertThat(node.writes(INDEX)).isBetween(most - checkpointed, most);
            System.out.printf("%s: %s%n", operation, ended.summary().path("documents"));
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("operations")
    void killedAfterLostAnswersSendsAgainAndDoublesNothing(List<String> operation) throws Exception {
        Path file = PLANTED.write(folder.resolve("in.ndjson"));
        Path mapping = Files.writeString(folder.resolve("mapping.json"), PlantedDocuments.MAPPING);
        String[] options = Stream.concat(
                        Stream.of(
                                "--mapping",
                                mapping.toString(),
                                "--replicas",
                                "0",
                                "--bulk-bytes",
                                "64kb",
                                "--concurrency",
                                "4"),
                        operation.stream())
                .toArray(String[]::new);
        proxy.always(new Fault.DropAfter());
        try (var program = new Program(folder)) {
            Program.Running running = program.load(proxy.url(), file, INDEX, options);
            await().atMost(60, TimeUnit.SECONDS).until(() -> proxy.journal().requests() >= 6);
            running.kill();
            assertThat(program.checkpointed()).isZero();
            proxy.heal();
            new Proof(node, PLANTED, INDEX)
                    .complete(
                            program,
                            program.load(proxy.url(), file, INDEX, options).end());
        }
    }
}
