package io.penstock.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.seeds.Seeds;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three nodes with the plugin, two replicas, and what happens to nodes and shards in the course of a day. */
@Tag("torture")
@RealNode(plugin = true, nodes = 3)
class FasterBulkOnThreeNodesIT {
    private static final String INDEX = "spread";
    private static final int NODES = 3;

    private RealCluster cluster;
    private final Seeds seeds = new Seeds(Long.getLong("seed", System.nanoTime()));

    @BeforeEach
    void open(RealCluster cluster) {
        this.cluster = cluster;
        System.out.println("seed " + seeds.seed());
        cluster.call("DELETE", "/" + INDEX, "");
        cluster.settings(Map.of("faster_bulk.enabled", true, "faster_bulk.writes_in_flight", 1));
        cluster.put(
                "/" + INDEX,
                "{\"settings\":{\"number_of_shards\":3,\"number_of_replicas\":2,\"index.unassigned.node_left.delayed_timeout\":\"0\"},"
                        + "\"mappings\":{\"properties\":{\"n\":{\"type\":\"long\"}}}}");
        green();
    }

    /** Row 137: nothing of what waited was acknowledged, so nothing acknowledged is gone. */
    @Test
    void aNodeThatIsKilledWhileBulksWaitTakesNothingAcknowledgedWithIt() throws Exception {
        List<URI> others = cluster.urls().subList(0, 2);
        var writers = new Writers(others, INDEX);
        try (writers) {
            writers.start(24, seeds);
            await().atMost(Duration.ofSeconds(60)).until(() -> writers.acknowledged() > 200);
            cluster.kill(2);
            int then = writers.acknowledged();
            await().atMost(Duration.ofSeconds(90)).until(() -> writers.acknowledged() > then + 200);
        } finally {
            cluster.restart(2);
        }
        green();
        isWhatTheWritersKnowOnEveryCopy(writers);
        Aftermath.nothingIsLeft(cluster);
    }

    @Test
    void primariesThatMoveUnderLoadLoseNothing() throws Exception {
        cluster.put("/" + INDEX + "/_settings", "{\"number_of_replicas\":0}");
        green();
        var writers = new Writers(cluster.urls(), INDEX);
        try (writers) {
            writers.start(24, seeds);
            for (int move = 0; move < 6; move++) {
                await().until(() -> writers.acknowledged() > 100);
                JsonNode shard =
                        cluster.get("/_cat/shards/" + INDEX + "?format=json").get(move % 3);
                String from = shard.path("node").asText();
                String to = "node-" + (Integer.parseInt(from.substring(5)) + 1) % NODES;
                cluster.call(
                        "POST",
                        "/_cluster/reroute",
                        "{\"commands\":[{\"move\":{\"index\":\"%s\",\"shard\":%s,\"from_node\":\"%s\",\"to_node\":\"%s\"}}]}"
                                .formatted(INDEX, shard.path("shard").asText(), from, to));
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> cluster.get("/_cluster/health?wait_for_no_relocating_shards=true&timeout=30s")
                                        .path("relocating_shards")
                                        .asInt()
                                == 0);
            }
        }
        assertThat(writers.unanswered()).as("nobody was cut off").isZero();
        isWhatTheWritersKnowOnEveryCopy(writers);
        Aftermath.nothingIsLeft(cluster);
    }

    /** Row 144. Which node has it switched on differs; the wire is the server's own either way. */
    @Test
    void replicasAreTheSameAsThePrimary() throws Exception {
        var writers = new Writers(cluster.urls(), INDEX);
        try (writers) {
            writers.start(32, seeds);
            await().atMost(Duration.ofSeconds(90)).until(() -> writers.acknowledged() > 1_000);
        }
        long requests = 0;
        long writes = 0;
        for (JsonNode node : cluster.get("/_plugins/_faster_bulk/stats").path("nodes")) {
            requests += node.at("/faster_bulk/requests").asLong();
            writes += node.at("/faster_bulk/writes").asLong();
        }
        assertThat(writes).isLessThan(requests);
        isWhatTheWritersKnowOnEveryCopy(writers);
        Aftermath.nothingIsLeft(cluster);
    }

    private void green() {
        await().atMost(Duration.ofMinutes(2))
                .until(() -> cluster.get("/_cluster/health/" + INDEX)
                        .path("status")
                        .asText()
                        .equals("green"));
    }

    private void isWhatTheWritersKnowOnEveryCopy(Writers writers) {
        cluster.post("/" + INDEX + "/_refresh", "");
        for (int node = 0; node < NODES; node++) {
            String id = nodeId("node-" + node);
            JsonNode hits = cluster.post(
                            "/" + INDEX + "/_search?preference=_prefer_nodes:" + id,
                            "{\"size\":10000,\"query\":{\"match_all\":{}}}")
                    .at("/hits/hits");
            Aftermath.isWhatTheWritersKnow(writers, hits);
        }
    }

    private String nodeId(String name) {
        return cluster.get("/_nodes/" + name + "/_none")
                .path("nodes")
                .fieldNames()
                .next();
    }
}
