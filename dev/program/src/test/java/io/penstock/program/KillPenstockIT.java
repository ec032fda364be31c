package io.penstock.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.proxy.Fault;
import io.penstock.testkit.proxy.FaultProxy;
import io.penstock.testkit.seeds.Seeds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows 1 and 108: the program is killed (SIGKILL) many times during one load and started again with the same command.
 *
 * <p>{@code -Dpenstock.kills=50} kills more often, {@code -Dseed=} repeats a run's choices. The proxy answers late, so
 * that the load lasts as long as the kills do and every kill meets requests that are applied and not yet acknowledged.
 */
@RealNode
class KillPenstockIT {
    private static final int KILLS = Integer.getInteger("penstock.kills", 12);
    private static final Duration ANSWER_DELAY = Duration.ofMillis(40);
    private static final int CONCURRENCY = 2;
    private static final int BULK_BYTES = 64 << 10;

    /** Shortest documents of the corpus with their action lines: no bulk holds more than this many of them. */
    private static final int BULK_DOCUMENTS_MAX = BULK_BYTES / 100;

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
    void endProxy() {
        proxy.close();
        node.call("DELETE", "/killed", "");
    }

    @Test
    void plainFileSurvivesManyKills() throws Exception {
        PlantedDocuments planted = documents(KILLS);
        survives(planted, planted.write(folder.resolve("in.ndjson")), KILLS);
        long extra = node.writes("killed") - planted.goodCount();
        // Per kill: what is in flight, and what the delay lets through between two checkpoints.
        long perKill = CONCURRENCY * BULK_DOCUMENTS_MAX * (1 + 2000 / ANSWER_DELAY.toMillis());
        System.out.printf("extra writes: %,d, bound %,d%n", extra, KILLS * perKill);
        assertThat(extra).as("extra writes").isBetween(0L, KILLS * perKill);
    }

    @Test
    void gzipOfSeveralMembersSurvivesKills() throws Exception {
        int kills = Math.max(4, KILLS / 3);
        PlantedDocuments planted = documents(kills);
        survives(planted, planted.writeGzip(folder.resolve("in.ndjson.gz")), kills);
    }

    @Test
    void createWithIdsOfTheDocumentsSurvivesKills() throws Exception {
        int kills = Math.max(4, KILLS / 3);
        PlantedDocuments planted = documents(kills);
        survives(planted, planted.write(folder.resolve("in.ndjson")), kills, "--id-field", "key", "--op", "create");
    }

    /** So many that the load hardly ends before the last kill. */
    private static PlantedDocuments documents(int kills) {
        Seeds seeds = new Seeds(Long.getLong("seed", System.nanoTime()));
        System.out.printf("seed %d, %d kills%n", seeds.seed(), kills);
        return PlantedDocuments.of(Math.max(40_000, kills * 6_000), seeds.seed());
    }

    private void survives(PlantedDocuments planted, Path file, int kills, String... more) throws Exception {
        Path mapping = Files.writeString(folder.resolve("mapping.json"), PlantedDocuments.MAPPING);
        String[] options = java.util.stream.Stream.concat(
                        java.util.stream.Stream.of(
                                "--mapping",
                                mapping.toString(),
                                "--shards",
                                "1",
                                "--replicas",
                                "0",
                                "--bulk-bytes",
                                Integer.toString(BULK_BYTES),
                                "--concurrency",
                                Integer.toString(CONCURRENCY)),
                        java.util.stream.Stream.of(more))
                .toArray(String[]::new);
        Seeds seeds = new Seeds(planted.documents().seed());
        try (var program = new Program(folder)) {
            proxy.always(new Fault.DelayedReply(ANSWER_DELAY));
            int kill = 0;
            for (boolean ended = false; kill < kills && !ended; kill++) {
                long before = proxy.journal().requests();
                Program.Running running = program.load(proxy.url(), file, "killed", options);
                await().atMost(Duration.ofSeconds(60))
                        .pollInterval(Duration.ofMillis(5))
                        .until(() -> proxy.journal().requests() > before || !running.isAlive());
                ended = running.endsWithin(Duration.ofMillis(seeds.intBetween(50, 1500)));
                running.kill();
            }
            System.out.printf("checkpoint after %d kills: %,d of %,d%n", kill, program.checkpointed(), planted.count());
            assertThat(kill).as("kills before the load came to its end").isGreaterThan(kills / 2);
            proxy.heal();
            new Proof(node, planted, "killed")
                    .complete(
                            program,
                            program.load(proxy.url(), file, "killed", options).end());
        }
    }
}
