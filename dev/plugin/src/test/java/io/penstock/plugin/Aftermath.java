package io.penstock.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.realservers.RealCluster;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** What must hold after writers have ended. */
final class Aftermath {
    private Aftermath() {}

    /** No task, no held byte, no charge on the indexing pressure, no error of the plugin's own, on any node. */
    static void nothingIsLeft(RealCluster cluster) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(cluster.get("/_tasks?actions=*bulk*").path("nodes")).isEmpty();
            for (JsonNode node : cluster.get("/_plugins/_faster_bulk/stats").path("nodes")) {
                assertThat(node.at("/faster_bulk/held_bytes").asLong()).isZero();
                assertThat(node.at("/faster_bulk/errors").asLong()).isZero();
            }
            for (JsonNode node : cluster.get("/_nodes/stats/indexing_pressure").path("nodes")) {
                assertThat(node.at("/indexing_pressure/memory/current/all_in_bytes")
                                .asLong())
                        .isZero();
            }
        });
    }

    /** Every document that the answers imply is there, with the value they imply, and no other. */
    static void isWhatTheWritersKnow(Writers writers, Iterable<JsonNode> hits) {
        Map<String, Long> found = new HashMap<>();
        hits.forEach(
                hit -> found.put(hit.path("_id").asText(), hit.at("/_source/n").asLong()));
        writers.ids()
                .forEach((id, known) -> assertThat(known.allows(found.getOrDefault(id, -1L)))
                        .as("%s is %s, known %s", id, found.get(id), known)
                        .isTrue());
        assertThat(writers.ids().keySet()).containsAll(found.keySet());
    }
}
