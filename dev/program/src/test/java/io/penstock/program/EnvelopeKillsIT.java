package io.penstock.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.seeds.Seeds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows 4 to 7 and 130: the program is killed at random moments between its first look at the cluster and the moved
 * alias. After each kill either the same command goes on, or {@code restore} is run with another state folder, as from
 * another machine.
 *
 * <p>{@code -Dpenstock.kills=200} kills more often, {@code -Dseed=} repeats a run's choices.
 */
@RealNode
class EnvelopeKillsIT {
    private static final int KILLS = Integer.getInteger("penstock.kills", 6);
    private static final String INDEX = "catalogue-2";
    private static final String OLD = "catalogue-1";
    private static final String ALIAS = "catalogue";

    @TempDir
    Path folder;

    /** As many as the cluster has nodes for, beside the primary. */
    int replicas() {
        return 0;
    }

    @AfterEach
    void remove(RealCluster cluster) {
        cluster.call("DELETE", "/" + INDEX, "");
        cluster.call("DELETE", "/" + OLD, "");
    }

    @Test
    void killedAtAnyMomentItLeavesWhatTheSameCommandOrRestorePutsBack(RealCluster cluster) throws Exception {
        Seeds seeds = new Seeds(Long.getLong("seed", System.nanoTime()));
        System.out.printf("seed %d, %d kills%n", seeds.seed(), KILLS);
        PlantedDocuments planted = PlantedDocuments.of(8_000, seeds.seed());
        Path file = planted.write(folder.resolve("in.ndjson"));
        cluster.put("/" + OLD, "{\"settings\":{\"number_of_replicas\":0}}");
        cluster.put("/" + OLD + "/_alias/" + ALIAS, "");
        for (int kill = 0; kill < KILLS; kill++) {
            cluster.call("DELETE", "/" + INDEX, "");
            cluster.put(
                    "/" + INDEX,
                    "{\"settings\":{\"refresh_interval\":\"7s\",\"number_of_replicas\":%d,\"number_of_shards\":2},\"mappings\":%s}"
                            .formatted(replicas(), PlantedDocuments.MAPPING));
            cluster.post(
                    "/_aliases", "{\"actions\":[{\"add\":{\"index\":\"%s\",\"alias\":\"%s\"}}]}".formatted(OLD, ALIAS));
            Map<String, String> before = settings(cluster);
            try (var program = new Program(Files.createDirectories(folder.resolve("run-" + kill)))) {
                Program.Running running = load(program, cluster, file);
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> running.said().contains("cluster:") || !running.isAlive());
                running.endsWithin(Duration.ofMillis(seeds.intBetween(0, 2_500)));
                running.kill();
                if (kill % 2 == 0) {
                    restored(cluster, folder.resolve("elsewhere-" + kill));
                    assertThat(settings(cluster)).as("kill %d, restore", kill).isEqualTo(before);
                }
                new Proof(cluster, planted, INDEX)
                        .complete(program, load(program, cluster, file).end());
            }
            assertThat(settings(cluster)).as("kill %d", kill).isEqualTo(before);
            assertThat(cluster.get("/" + INDEX + "/_mapping")
                            .at("/" + INDEX + "/mappings/_meta/penstock")
                            .isMissingNode())
                    .isTrue();
            assertThat(cluster.get("/_alias/" + ALIAS).fieldNames())
                    .toIterable()
                    .as("the alias stands for one index alone, and it is complete")
                    .containsExactly(INDEX);
        }
    }

    private static Program.Running load(Program program, RealCluster cluster, Path file) {
        return program.enveloped(
                cluster.url(),
                file,
                INDEX,
                "--alias",
                ALIAS,
                "--force-merge",
                "1",
                "--bulk-bytes",
                "64kb",
                "--concurrency",
                "1",
                "--max-rejects",
                "100000");
    }

    private static void restored(RealCluster cluster, Path elsewhere) throws Exception {
        try (var program = new Program(Files.createDirectories(elsewhere))) {
            Program.Ended alive =
                    program.start("restore", "-t", cluster.url().toString()).end();
            assertThat(alive.exit()).as(alive.err()).isZero();
            Program.Ended forced = program.start(
                            "restore", "--force", "-t", cluster.url().toString())
                    .end();
            assertThat(forced.exit()).as(forced.err()).isZero();
            Program.Ended again = program.start(
                            "restore", "--force", INDEX, "-t", cluster.url().toString())
                    .end();
            assertThat(again.exit()).as(again.err()).isZero();
        }
    }

    private static Map<String, String> settings(RealCluster cluster) {
        Map<String, String> settings = new TreeMap<>();
        JsonNode found =
                cluster.get("/" + INDEX + "/_settings?flat_settings=true").at("/" + INDEX + "/settings");
        found.properties()
                .forEach(setting ->
                        settings.put(setting.getKey(), setting.getValue().asText()));
        return settings;
    }
}
