package io.penstock.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rows 39 and 72: of three nodes one is killed and comes back, then another is frozen for a while. With its own
 * settings the index has a replica, and the load goes on without the node; under the envelope it has none, and the load
 * waits for the node.
 */
@Tag("torture")
@RealNode(nodes = 3)
class ThreeNodesIT {
    private static final String INDEX = "three";
    private static final PlantedDocuments PLANTED = PlantedDocuments.of(100_000, 39);

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void loadGoesOnWhileNodesDieAndFreezeAndNothingIsLost(boolean replica, RealCluster cluster) throws Exception {
        cluster.call("DELETE", "/" + INDEX, "");
        Path file = PLANTED.write(folder.resolve("in.ndjson"));
        Path mapping = Files.writeString(folder.resolve("mapping.json"), PlantedDocuments.MAPPING);
        String targets = cluster.urls().stream().map(URI::toString).collect(Collectors.joining(","));
        try (var program = new Program(folder)) {
            Program.Running running = program.start(
                    "load",
                    file.toString(),
                    "-i",
                    INDEX,
                    "-t",
                    targets,
                    "--mapping",
                    mapping.toString(),
                    "--shards",
                    "3",
                    "--replicas",
                    "1",
                    "--bulk-bytes",
                    "32kb",
                    "--concurrency",
                    "3",
                    "--max-docs-rate",
                    "1500",
                    replica ? "--keep-settings" : "--verify=count");
            grows(program, running, 0);
            cluster.kill(2);
            long atKill = program.checkpointed();
            if (replica) {
                grows(program, running, atKill);
            }
            cluster.restart(2);
            grows(program, running, atKill);
            System.out.printf("node killed at %,d, load went on to %,d%n", atKill, program.checkpointed());
            boolean loading = running.isAlive();
            cluster.pause(1);
            try {
                running.endsWithin(Duration.ofSeconds(10));
            } finally {
                cluster.resume(1);
            }
            System.out.printf("node frozen for 10 s, load was under way: %s%n", loading);
            new Proof(cluster, PLANTED, INDEX).complete(program, running.end());
            assertThat(running.said()).doesNotContain("a bug in Penstock");
        }
    }

    private static void grows(Program program, Program.Running running, long beyond) {
        await().atMost(60, TimeUnit.SECONDS).until(() -> program.checkpointed() > beyond || !running.isAlive());
    }
}
