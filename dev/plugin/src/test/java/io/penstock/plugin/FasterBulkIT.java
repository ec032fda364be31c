package io.penstock.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.seeds.Seeds;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One node with the plugin. */
@RealNode(plugin = true)
class FasterBulkIT {
    private static final String INDEX = "small";
    private static final String MAPPING =
            "\"mappings\":{\"properties\":{\"n\":{\"type\":\"long\"},\"text\":{\"type\":\"keyword\"}}}";

    private RealCluster cluster;
    private final Seeds seeds = new Seeds(Long.getLong("seed", System.nanoTime()));

    @BeforeEach
    void open(RealCluster cluster) {
        this.cluster = cluster;
        System.out.println("seed " + seeds.seed());
        index(3);
        on("group_commit");
    }

    @AfterEach
    void close() {
        Map<String, Object> none = new HashMap<>();
        for (String name : List.of(
                "enabled", "mode", "window.interval", "directed_routing", "writes_in_flight", "flush_threshold_size")) {
            none.put("faster_bulk." + name, null);
        }
        cluster.settings(none);
        cluster.call("DELETE", "/" + INDEX, "");
    }

    // ---- joining ------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(strings = {"group_commit", "window"})
    void bulksOfManyClientsAreWrittenTogetherAndEachGetsItsOwnAnswer(String mode) throws Exception {
        on(mode);
        var writers = new Writers(cluster.urls(), INDEX);
        try (writers) {
            writers.start(32, seeds);
            await().atMost(Duration.ofSeconds(60)).until(() -> writers.acknowledged() > 2_000);
        }
        JsonNode stats = stats();
        assertThat(stats.path("writes").asLong())
                .as("fewer writes than requests: %s", stats)
                .isLessThan(stats.path("requests").asLong() * 3 / 4);
        Aftermath.isWhatTheWritersKnow(writers, cluster.scan(INDEX));
        Aftermath.nothingIsLeft(cluster);
    }

    @Test
    void aLoneClientNeverWaits() {
        for (int n = 0; n < 50; n++) {
            bulk("", "{\"index\":{}}\n{\"n\":%d}\n".formatted(n));
        }
        JsonNode stats = stats();
        assertThat(stats.path("writes").asLong())
                .isEqualTo(stats.path("requests").asLong())
                .isEqualTo(50);
    }

    @Test
    void theWindowWaitsForItsTime() {
        cluster.settings(Map.of("faster_bulk.mode", "window", "faster_bulk.window.interval", "300ms"));
        long began = System.nanoTime();
        bulk("", "{\"index\":{}}\n{\"n\":1}\n");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(290));
    }

    @Test
    void anIndexCanBeSwitchedOffAndOnByItself() {
        cluster.put("/" + INDEX + "/_settings", "{\"index.faster_bulk.enabled\":false}");
        bulk("", "{\"index\":{}}\n{\"n\":1}\n");
        assertThat(stats().path("requests").asLong()).isZero();
        assertThat(stats().at("/passed_through/off").asLong()).isEqualTo(1);
        cluster.settings(Map.of("faster_bulk.enabled", false));
        cluster.put("/" + INDEX + "/_settings", "{\"index.faster_bulk.enabled\":true}");
        bulk("", "{\"index\":{}}\n{\"n\":1}\n");
        assertThat(stats().path("requests").asLong()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"?refresh=true", "?refresh=wait_for", "?wait_for_active_shards=1", "?timeout=1s"})
    @Tag("torture")
    void whatARequestAsksForHoldsForItAlone(String options) throws Exception {
        var plain = new Writers(cluster.urls(), INDEX, "plain-", "", true);
        var asking = new Writers(cluster.urls(), INDEX, "asking-", options, true);
        try (plain;
                asking) {
            plain.start(8, seeds);
            asking.start(8, seeds);
            await().atMost(Duration.ofSeconds(60)).until(() -> asking.acknowledged() > 30);
            if (options.contains("refresh")) {
                bulk(options, "{\"index\":{\"_id\":\"seen\"}}\n{\"n\":77000000}\n");
                JsonNode found = cluster.post("/" + INDEX + "/_search", "{\"query\":{\"term\":{\"n\":77000000}}}");
                assertThat(found.at("/hits/hits").findValuesAsText("_id")).containsExactly("seen");
            }
        }
        JsonNode passed = stats().path("passed_through");
        assertThat(passed.path("waits_for_refresh").asLong() > 0).isEqualTo(options.equals("?refresh=wait_for"));
        assertThat(passed.path("short_timeout").asLong() > 0).isEqualTo(options.equals("?timeout=1s"));
        Aftermath.nothingIsLeft(cluster);
    }

    @Test
    @Tag("torture")
    void switchedOnAndOffInALoopNothingIsLost() throws Exception {
        var writers = new Writers(cluster.urls(), INDEX);
        try (writers) {
            writers.start(16, seeds);
            for (int i = 0; i < 20; i++) {
                cluster.settings(Map.of(
                        "faster_bulk.enabled", i % 2 == 0, "faster_bulk.mode", i % 3 == 0 ? "window" : "group_commit"));
                Thread.sleep(seeds.intBetween(0, 200));
            }
        }
        assertThat(writers.acknowledged()).isPositive();
        Aftermath.isWhatTheWritersKnow(writers, cluster.scan(INDEX));
        Aftermath.nothingIsLeft(cluster);
    }

    @Test
    void anIndexThatIsDeletedUnderWayLeavesNobodyWaiting() throws Exception {
        var writers = new Writers(cluster.urls(), INDEX, "", "", false); // what was written goes with the index
        try (writers) {
            writers.start(24, seeds);
            for (int i = 0; i < 5; i++) {
                Thread.sleep(seeds.intBetween(100, 400));
                cluster.call("DELETE", "/" + INDEX, ""); // the writers make it anew
            }
        }
        assertThat(writers.unanswered()).isZero();
        Aftermath.nothingIsLeft(cluster);
    }

    @Test
    void aClientThatGoesAwayWhileItsBulkWaitsHoldsUpNobody() throws Exception {
        cluster.settings(Map.of("faster_bulk.mode", "window", "faster_bulk.window.interval", "500ms"));
        byte[] body = "{\"index\":{\"_id\":\"gone\"}}\n{\"n\":1}\n".getBytes(StandardCharsets.UTF_8);
        try (Socket socket = new Socket(
                java.net.InetAddress.getLoopbackAddress(), cluster.url().getPort())) {
            OutputStream out = socket.getOutputStream();
            out.write(
                    "POST /%s/_bulk HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\nContent-Length: %d\r\n\r\n"
                            .formatted(INDEX, body.length)
                            .getBytes(StandardCharsets.UTF_8));
            out.write(body);
            out.flush();
            await().until(() -> stats().path("held_bytes").asLong() > 0);
        }
        assertThat(bulk("", "{\"index\":{\"_id\":\"here\"}}\n{\"n\":1}\n")
                        .path("errors")
                        .asBoolean())
                .isFalse();
        Aftermath.nothingIsLeft(cluster);
    }

    /**
     * The same requests, one after the other and all at once, with the plugin and without: the answers are the same.
     */
    @Test
    void answersAreTheSameByteForByteButForTimesAndSequenceNumbers() throws Exception {
        Map<Integer, String> without = new HashMap<>();
        Map<Integer, String> with = new HashMap<>();
        for (boolean plugin : new boolean[] {false, true}) {
            cluster.settings(Map.of("faster_bulk.enabled", plugin, "faster_bulk.mode", "window"));
            cluster.delete("/" + INDEX);
            index(2);
            Map<Integer, String> answers = plugin ? with : without;
            try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
                Map<Integer, Future<String>> running = new HashMap<>();
                for (int number = 0; number < 300; number++) {
                    Callable<String> request = request(number);
                    running.put(number, clients.submit(request));
                }
                for (Map.Entry<Integer, Future<String>> each : running.entrySet()) {
                    answers.put(each.getKey(), each.getValue().get());
                }
            }
        }
        assertThat(stats().path("writes").asLong()).as("joined").isLessThan(300);
        assertThat(with).isEqualTo(without);
    }

    /** Bulks to ids of their own, with what can be right and wrong in an item. */
    private Callable<String> request(int number) {
        String id = "r" + number;
        String body = "{\"index\":{\"_id\":\"%1$s-a\"}}\n{\"n\":1,\"text\":\"a\"}\n".formatted(id)
                + "{\"create\":{\"_id\":\"%1$s-a\"}}\n{\"n\":2}\n".formatted(id)
                + "{\"index\":{\"_id\":\"%1$s-b\"}}\n{\"n\":{\"an\":\"object\"}}\n".formatted(id)
                + "{\"update\":{\"_id\":\"%1$s-a\"}}\n{\"doc\":{\"n\":3},\"_source\":true}\n".formatted(id)
                + "{\"update\":{\"_id\":\"%1$s-c\"}}\n{\"doc\":{\"n\":3}}\n".formatted(id)
                + "{\"update\":{\"_id\":\"%1$s-d\"}}\n{\"doc\":{\"n\":4},\"doc_as_upsert\":true}\n".formatted(id)
                + "{\"delete\":{\"_id\":\"%1$s-d\"}}\n".formatted(id)
                + "{\"delete\":{\"_id\":\"%1$s-e\"}}\n".formatted(id)
                + "{\"index\":{\"_id\":\"%1$s-f\",\"version\":7,\"version_type\":\"external\"}}\n{\"n\":5}\n"
                        .formatted(id)
                + "{\"index\":{\"_id\":\"%1$s-f\",\"version\":6,\"version_type\":\"external\"}}\n{\"n\":5}\n"
                        .formatted(id)
                + "{\"index\":{\"_id\":\"%1$s-g\",\"if_seq_no\":9999,\"if_primary_term\":1}}\n{\"n\":5}\n".formatted(id)
                + "{\"index\":{\"_id\":\"%1$s-h\",\"routing\":\"%2$d\"}}\n{\"n\":6}\n".formatted(id, number % 3)
                + "{\"index\":{\"_id\":\"%1$s-i\",\"pipeline\":\"not-there\"}}\n{\"n\":6}\n".formatted(id);
        return () -> {
            RealCluster.Answer answer = cluster.call("POST", "/" + INDEX + "/_bulk", body);
            return answer.status()
                    + answer.json()
                            .toString()
                            .replaceAll("\"(took|ingest_took|_seq_no|_primary_term)\":\\d+", "\"$1\":0")
                            .replaceAll(
                                    "current version \\[\\d+]|seqNo \\[\\d+]|primaryTerm \\[\\d+]|primary term \\[\\d+]",
                                    "")
                            .replaceAll("\"index_uuid\":\"[^\"]*\"", "");
        };
    }

    // ---- directed routing ---------------------------------------------------------------------------------------

    @Test
    void documentsOfOneBulkWithoutIdsGoToOneShardAndAreFoundByTheirIds() {
        cluster.settings(Map.of("faster_bulk.directed_routing", true));
        Set<Integer> shards = new HashSet<>();
        for (int round = 0; round < 40; round++) {
            var body = new StringBuilder();
            for (int n = 0; n < 25; n++) {
                body.append(n % 2 == 0 ? "{\"index\":{}}\n" : "{\"create\":{}}\n")
                        .append("{\"n\":%d}\n".formatted(n));
            }
            JsonNode items = bulk("", body.toString()).path("items");
            Set<Integer> used = new HashSet<>();
            for (JsonNode item : items) {
                JsonNode own = item.elements().next();
                assertThat(own.path("status").asInt()).isEqualTo(201);
                assertThat(own.path("_id").asText()).hasSize(22);
                used.add(shardOf(own.path("_id").asText()));
            }
            assertThat(used).as("shards of one bulk").hasSize(1);
            shards.addAll(used);
            String id = items.get(0).at("/index/_id").asText();
            assertThat(cluster.get("/" + INDEX + "/_doc/" + id).path("found").asBoolean())
                    .isTrue();
            assertThat(bulk("", "{\"update\":{\"_id\":\"%s\"}}\n{\"doc\":{\"n\":5}}\n".formatted(id))
                            .path("errors")
                            .asBoolean())
                    .isFalse();
            assertThat(bulk("", "{\"delete\":{\"_id\":\"%s\"}}\n".formatted(id))
                            .at("/items/0/delete/result")
                            .asText())
                    .isEqualTo("deleted");
        }
        assertThat(shards).as("all are used").containsExactlyInAnyOrder(0, 1, 2);
        assertThat(stats().path("directed_documents").asLong()).isEqualTo(40 * 25);
        assertThat(cluster.count(INDEX)).isEqualTo(40 * 24);
    }

    /** Where nothing waits for a disk, all shards at once are done sooner. */
    @Test
    void aBulkThatIsAloneOnAnAsynchronousTranslogIsLeftToTheServer() {
        cluster.settings(Map.of("faster_bulk.directed_routing", true));
        cluster.put("/" + INDEX + "/_settings", "{\"index.translog.durability\":\"async\"}");
        for (JsonNode item : bulk("", "{\"index\":{}}\n{\"n\":1}\n".repeat(25)).path("items")) {
            assertThat(item.at("/index/_id").asText()).hasSize(20);
        }
        assertThat(stats().path("directed_documents").asLong()).isZero();
        Aftermath.nothingIsLeft(cluster);
    }

    @Test
    void aDocumentWithAnIdOrARoutingIsNeverTouched() {
        cluster.settings(Map.of("faster_bulk.directed_routing", true));
        JsonNode items = bulk(
                        "",
                        "{\"index\":{\"_id\":\"mine\"}}\n{\"n\":1}\n{\"index\":{\"routing\":\"r\"}}\n{\"n\":2}\n{\"index\":{}}\n{\"n\":3}\n")
                .path("items");
        assertThat(items.get(0).at("/index/_id").asText()).isEqualTo("mine");
        assertThat(items.get(1).at("/index/_id").asText()).hasSize(20);
        assertThat(items.get(2).at("/index/_id").asText()).hasSize(22);
    }

    @Test
    void aPipelineThatSetsIdOrRoutingHasTheLastWord() {
        cluster.settings(Map.of("faster_bulk.directed_routing", true));
        cluster.put(
                "/_ingest/pipeline/names", "{\"processors\":[{\"set\":{\"field\":\"_id\",\"value\":\"from-{{n}}\"}}]}");
        cluster.put(
                "/_ingest/pipeline/routes", "{\"processors\":[{\"set\":{\"field\":\"_routing\",\"value\":\"x\"}}]}");
        try {
            assertThat(bulk("?pipeline=names", "{\"index\":{}}\n{\"n\":3}\n")
                            .at("/items/0/index/_id")
                            .asText())
                    .isEqualTo("from-3");
            assertThat(bulk("?pipeline=routes", "{\"index\":{}}\n{\"n\":3}\n")
                            .at("/items/0/index/_id")
                            .asText())
                    .hasSize(20);
        } finally {
            cluster.delete("/_ingest/pipeline/names");
            cluster.delete("/_ingest/pipeline/routes");
        }
    }

    @Test
    void aliasesAndDataStreamsAreDirectedToTheirWriteIndex() {
        cluster.settings(Map.of("faster_bulk.directed_routing", true));
        cluster.put("/" + INDEX + "/_alias/small-alias", "");
        assertThat(cluster.post("/small-alias/_bulk", "{\"index\":{}}\n{\"n\":1}\n")
                        .at("/items/0/index/_id")
                        .asText())
                .hasSize(22);
        cluster.put(
                "/_index_template/small-stream",
                "{\"index_patterns\":[\"small-stream\"],\"data_stream\":{},\"template\":{\"settings\":{\"number_of_shards\":3,\"number_of_replicas\":0}}}");
        try {
            cluster.put("/_data_stream/small-stream", "");
            JsonNode items = cluster.post(
                            "/small-stream/_bulk",
                            "{\"create\":{}}\n{\"@timestamp\":\"2026-11-21T00:00:00Z\"}\n{\"index\":{}}\n{\"@timestamp\":\"2026-11-21T00:00:00Z\"}\n")
                    .path("items");
            assertThat(items.get(0).at("/create/_id").asText()).hasSize(22);
            assertThat(items.get(1).at("/index/status").asInt())
                    .as("as without the plugin")
                    .isEqualTo(400);
        } finally {
            cluster.call("DELETE", "/_data_stream/small-stream", "");
            cluster.call("DELETE", "/_index_template/small-stream", "");
        }
    }

    // ---- what is looked at --------------------------------------------------------------------------------------

    private void index(int shards) {
        cluster.put(
                "/" + INDEX,
                "{\"settings\":{\"number_of_shards\":%d,\"number_of_replicas\":0},%s}".formatted(shards, MAPPING));
    }

    private void on(String mode) {
        cluster.settings(Map.of(
                "faster_bulk.enabled",
                true,
                "faster_bulk.mode",
                mode,
                "faster_bulk.writes_in_flight",
                1,
                "faster_bulk.window.interval",
                "20ms"));
    }

    private JsonNode bulk(String options, String body) {
        return cluster.post("/" + INDEX + "/_bulk" + options, body);
    }

    private int shardOf(String id) {
        JsonNode shards = cluster.get("/" + INDEX + "/_search_shards?routing=" + id);
        return shards.at("/shards/0/0/shard").asInt();
    }

    private JsonNode stats() {
        return cluster.get("/_plugins/_faster_bulk/stats")
                .path("nodes")
                .elements()
                .next()
                .at("/faster_bulk/indices/" + INDEX);
    }
}
