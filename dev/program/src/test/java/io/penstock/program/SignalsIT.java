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
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows 8, 9, 10, 14 and 15: the program is asked to end, loses its terminal, or is started twice. */
@RealNode
class SignalsIT {
    private static final PlantedDocuments PLANTED = PlantedDocuments.of(20_000, 8);
    private static final String INDEX = "signalled";
    private static final Duration DRAIN = Duration.ofSeconds(10);
    private static final Duration MARGIN = Duration.ofSeconds(8);

    @TempDir
    Path folder;

    private RealCluster node;
    private FaultProxy proxy;
    private Program program;
    private Path file;

    @BeforeEach
    void startProxy(RealCluster cluster) {
        node = cluster;
        proxy = FaultProxy.start(cluster.url());
        program = new Program(folder);
        file = PLANTED.write(folder.resolve("in.ndjson"));
    }

    @AfterEach
    void end() {
        program.close();
        proxy.close();
        node.call("DELETE", "/" + INDEX, "");
    }

    @ParameterizedTest(name = "SIG{0} ends with {1}")
    @CsvSource({"TERM,143", "INT,130", "HUP,129"})
    void signalUnderLoadDrainsWritesACheckpointAndTheNextRunGoesOn(String name, int exit) throws Exception {
        proxy.always(new Fault.DelayedReply(Duration.ofMillis(100)));
        Program.Running running = load();
        afterRequests(8);
        running.signal(name);
        Program.Ended ended = running.end(DRAIN.plus(MARGIN));
        assertThat(ended.exit()).as(ended.err()).isEqualTo(exit);
        assertThat(ended.summary().path("status").asText()).isEqualTo("interrupted");
        assertThat(ended.err()).contains("the same command goes on from here");
        Proof.equation(ended);
        long checkpointed = program.checkpointed();
        assertThat(checkpointed).isPositive().isLessThanOrEqualTo(ended.documents("read"));
        // Batches end in any order: what ended behind one that was never sent is read again.
        long again = ended.documents("read") - checkpointed;
        assertThat(node.writes(INDEX))
                .as("everything in flight was waited for")
                .isLessThanOrEqualTo(ended.documents("read"));
        proxy.heal();
        proof().complete(program, load().end());
        assertThat(node.writes(INDEX))
                .as("extra writes")
                .isBetween((long) PLANTED.goodCount(), PLANTED.goodCount() + again);
    }

    @Test
    void signalWhileTheServerHangsEndsWithinTheDrainTime() throws Exception {
        proxy.script(passes(4)).always(new Fault.Hang());
        Program.Running running = load();
        afterRequests(6);
        long began = System.nanoTime();
        running.signal("TERM");
        Program.Ended ended = running.end(DRAIN.plus(MARGIN));
        System.out.printf("SIGTERM with a hung server: ended after %.1f s%n", (System.nanoTime() - began) / 1e9);
        assertThat(ended.exit()).as(ended.err()).isEqualTo(143);
        Proof.equation(ended);
        proof().nothingLostBelow(program.checkpointed(), program);
        proxy.heal();
        proof().complete(program, load().end());
    }

    @Test
    void secondSignalEndsAtOnce() throws Exception {
        proxy.script(passes(4)).always(new Fault.Hang());
        Program.Running running = load();
        afterRequests(6);
        running.signal("TERM");
        await().atMost(DRAIN).until(() -> running.said().contains("again to end at once"));
        running.signal("TERM");
        assertThat(running.end(Duration.ofSeconds(3)).exit()).isEqualTo(143);
        proxy.heal();
        proof().complete(program, load().end());
    }

    @Test
    void closedStandardOutputDoesNotStopTheLoad() throws Exception {
        Program.Running running = program.startWithPipes(
                Stream.concat(Stream.of("load", file.toString(), "-i", INDEX, "-t", proxy.url() + ""), options())
                        .toArray(String[]::new));
        running.closeOutput();
        Program.Ended ended = running.end();
        assertThat(ended.exit()).as(ended.err()).isEqualTo(4);
        assertThat(proof().observed().cardinality()).isEqualTo(PLANTED.goodCount());
        assertThat(Proof.deadLetters(program)).isEqualTo(PLANTED.bad());
    }

    @Test
    void secondProgramOnOneStateIsRefusedAndAKilledOneLeavesNoLock() throws Exception {
        proxy.script(passes(4)).always(new Fault.Hang());
        Program.Running first = load();
        afterRequests(6);
        Program.Ended second = load().end();
        assertThat(second.exit()).as(second.err()).isEqualTo(8);
        assertThat(second.err()).contains("in use by pid " + first.pid() + " since");
        assertThat(first.isAlive()).isTrue();
        first.kill();
        proxy.heal();
        proof().complete(program, load().end());
    }

    @Test
    void pausedProgramGoesOnWhereItWas() throws Exception {
        proxy.always(new Fault.DelayedReply(Duration.ofMillis(50)));
        Program.Running running = load();
        afterRequests(6);
        running.signal("STOP");
        long requests = proxy.journal().requests();
        assertThat(running.endsWithin(Duration.ofSeconds(5))).isFalse();
        assertThat(proxy.journal().requests()).isLessThanOrEqualTo(requests + 2);
        running.signal("CONT");
        proof().complete(program, running.end());
    }

    private Program.Running load() throws Exception {
        return program.load(proxy.url(), file, INDEX, options().toArray(String[]::new));
    }

    /** Small bulks, so that the load is made of many. */
    private Stream<String> options() throws Exception {
        Path mapping = Files.writeString(folder.resolve("mapping.json"), PlantedDocuments.MAPPING);
        return Stream.of(
                "--mapping", mapping.toString(), "--replicas", "0", "--bulk-bytes", "64kb", "--concurrency", "2");
    }

    private Proof proof() {
        return new Proof(node, PLANTED, INDEX);
    }

    private void afterRequests(int count) {
        await().atMost(60, TimeUnit.SECONDS)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> proxy.journal().requests() >= count);
    }

    private static Fault[] passes(int count) {
        return Stream.generate(Fault.Pass::new).limit(count).toArray(Fault[]::new);
    }
}
