package io.penstock.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.proxy.Fault;
import io.penstock.testkit.proxy.FaultProxy;
import io.penstock.testkit.seeds.Seeds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code penstock reindex} between indices of one cluster, both ways: by the cluster itself, and through Penstock. */
@RealNode
class ReindexIT {
    private static final int KILLS = Math.max(3, Integer.getInteger("penstock.kills", 6) / 2);
    private static final String OLD = "tracks-1";
    private static final String NEW = "tracks-2";
    private static final String YOUNGER = "tracks-1-b";
    private static final String ALIAS = "tracks";
    /** A limit in bytes, which the cluster's own copy does not know: then Penstock reads and sends. */
    private static final String[] THROUGH_PENSTOCK = {"--max-rate", "1gb/s"};

    @TempDir
    Path folder;

    private RealCluster cluster;
    private Program program;

    @BeforeEach
    void open(RealCluster cluster) {
        this.cluster = cluster;
        this.program = new Program(folder);
    }

    @AfterEach
    void close() {
        program.close();
        for (String index : new String[] {OLD, YOUNGER, NEW}) {
            cluster.call("DELETE", "/" + index, "");
        }
        cluster.call("DELETE", "/_ingest/pipeline/marks", "");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theNewIndexHasEveryDocumentAsItWasAndTheAliasStandsForIt(boolean inside) throws Exception {
        source(
                "{\"settings\":{\"number_of_shards\":2,\"number_of_replicas\":0,\"refresh_interval\":\"7s\","
                        + "\"analysis\":{\"analyzer\":{\"mine\":{\"type\":\"custom\",\"tokenizer\":\"keyword\"}}}},"
                        + "\"mappings\":{\"_meta\":{\"team\":\"search\"},\"properties\":{\"n\":{\"type\":\"integer\"},"
                        + "\"title\":{\"type\":\"text\",\"analyzer\":\"mine\"},\"at\":{\"type\":\"date\"},"
                        + "\"parts\":{\"type\":\"nested\"}}}}",
                500);
        cluster.put("/" + OLD + "/_doc/pretty?routing=somewhere", "{\n  \"n\": 1.0,\n  \"title\": \"a\\nb\"\n}\n");
        cluster.put("/" + OLD + "/_doc/id-3", "{\"n\":-3}"); // its second version
        cluster.delete("/" + OLD + "/_doc/id-4");
        cluster.put("/" + OLD + "/_alias/" + ALIAS, "");

        Program.Ended ended =
                reindex(ALIAS, inside ? new String[0] : THROUGH_PENSTOCK).end();

        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(ended.err()).contains(inside ? "copied inside the cluster" : "sent by Penstock");
        assertThat(ended.documents("read")).isEqualTo(500);
        assertThat(ended.documents("indexed")).isEqualTo(500);
        assertThat(ended.summary().at("/verified/counted").asInt()).isEqualTo(500);
        assertThat(ended.summary().at("/settings/restored").asBoolean()).isTrue();
        assertThat(documents(NEW)).isEqualTo(documents(OLD));
        assertThat(settings(NEW))
                .containsEntry("index.refresh_interval", "7s")
                .containsEntry("index.number_of_shards", "2")
                .containsEntry("index.analysis.analyzer.mine.tokenizer", "keyword")
                .doesNotContainKey("index.translog.durability");
        assertThat(mapping(NEW)).isEqualTo(mapping(OLD));
        assertThat(cluster.get("/_alias/" + ALIAS).fieldNames()).toIterable().containsExactly(NEW);
        assertThat(copiesUnderWay()).isEmpty();

        Program.Ended again =
                reindex(OLD, inside ? new String[0] : THROUGH_PENSTOCK).end();
        assertThat(again.exit()).as(again.err()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatTheNewMappingRefusesIsADeadLetterAndTheRestIsThere(boolean inside) throws Exception {
        source("{\"settings\":{\"number_of_replicas\":0},\"mappings\":{\"dynamic\":false}}", 1_000);
        cluster.put("/" + OLD + "/_doc/bad-1", "{\"n\":\"seven\"}");
        cluster.put("/" + OLD + "/_doc/bad-2", "{\"n\":\"eight\"}");
        Path mapping = Files.writeString(
                folder.resolve("mapping.json"),
                "{\"mappings\":{\"dynamic\":false,\"properties\":{\"n\":{\"type\":\"long\"}}}}");
        List<String> options = new ArrayList<>(List.of("--mapping", mapping.toString()));
        if (!inside) {
            options.addAll(List.of(THROUGH_PENSTOCK));
        }
        Program.Ended ended = reindex(OLD, options.toArray(String[]::new)).end();
        assertThat(ended.exit()).as(ended.err()).isEqualTo(4);
        assertThat(ended.documents("deadLettered")).isEqualTo(2);
        assertThat(cluster.count(NEW)).isEqualTo(1_000);
        assertThat(Files.readAllLines(program.deadLetters()))
                .hasSize(2)
                .allMatch(letter -> letter.contains("bad-1") || letter.contains("bad-2"));
        Map<String, JsonNode> rest = documents(OLD);
        rest.remove("bad-1");
        rest.remove("bad-2");
        assertThat(documents(NEW)).isEqualTo(rest);
    }

    @Test
    void aQueryChoosesAndAPipelineIsNotRunAgain() throws Exception {
        cluster.put(
                "/_ingest/pipeline/marks", "{\"processors\":[{\"set\":{\"field\":\"mark\",\"value\":\"{{mark}}x\"}}]}");
        source(
                "{\"settings\":{\"number_of_replicas\":0,\"default_pipeline\":\"marks\",\"final_pipeline\":\"marks\"}}",
                300);
        Path query = Files.writeString(folder.resolve("query.json"), "{\"query\":{\"range\":{\"n\":{\"lt\":100}}}}");
        Program.Ended ended = reindex(OLD, "--query", query.toString()).end();
        assertThat(ended.exit()).as(ended.err()).isZero();
        Map<String, JsonNode> chosen = documents(OLD);
        chosen.values().removeIf(document -> document.at("/_source/n").asInt() >= 100);
        assertThat(chosen).hasSize(100);
        assertThat(documents(NEW)).isEqualTo(chosen);
        assertThat(settings(NEW))
                .containsEntry("index.final_pipeline", "marks")
                .containsEntry("index.default_pipeline", "marks");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("torture")
    void killedAtAnyMomentTheSameCommandGoesOn(boolean inside) throws Exception {
        Seeds seeds = new Seeds(Long.getLong("seed", System.nanoTime()));
        System.out.printf("seed %d, %d kills%n", seeds.seed(), KILLS);
        source("{\"settings\":{\"number_of_replicas\":0,\"number_of_shards\":2,\"refresh_interval\":\"7s\"}}", 6_000);
        cluster.put("/" + OLD + "/_alias/" + ALIAS, "");
        String[] options = inside ? new String[] {"--force-merge", "1"} : THROUGH_PENSTOCK;
        for (int kill = 0; kill < KILLS; kill++) {
            Program.Running running = reindex(ALIAS, options);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> running.said().contains("documents of") || !running.isAlive());
            running.endsWithin(Duration.ofMillis(seeds.intBetween(0, 2_000)));
            running.kill();
        }
        Program.Ended ended = reindex(ALIAS, options).end();
        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(documents(NEW)).isEqualTo(documents(OLD));
        assertThat(cluster.get("/_alias/" + ALIAS).fieldNames()).toIterable().containsExactly(NEW);
        assertThat(settings(NEW))
                .containsEntry("index.refresh_interval", "7s")
                .doesNotContainKey("index.translog.durability");
        assertThat(cluster.get("/" + NEW + "/_alias").at("/" + NEW + "/aliases").fieldNames())
                .toIterable()
                .containsExactly(ALIAS);
    }

    @Test
    void aSignalEndsTheCopiesInTheClusterAndTheSameCommandGoesOn() throws Exception {
        source("{\"settings\":{\"number_of_replicas\":0}}", 4_000);
        Program.Running running = reindex(OLD, "--max-docs-rate", "100");
        await().atMost(Duration.ofSeconds(30)).until(() -> !copiesUnderWay().isEmpty());
        running.signal("TERM");
        Program.Ended stopped = running.end();
        assertThat(stopped.exit()).as(stopped.err()).isEqualTo(143);
        assertThat(copiesUnderWay()).isEmpty();
        assertThat(settings(NEW)).doesNotContainKey("index.translog.durability");
        Program.Ended ended = reindex(OLD).end();
        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(documents(NEW)).isEqualTo(documents(OLD));
    }

    @Test
    void aDataStreamIsCopiedIntoAnOrdinaryIndex() throws Exception {
        cluster.put(
                "/_index_template/plays",
                "{\"index_patterns\":[\"plays\"],\"data_stream\":{},\"template\":{\"settings\":{\"number_of_replicas\":0}}}");
        try {
            for (int n = 0; n < 10; n++) {
                cluster.post("/plays/_doc", "{\"@timestamp\":\"2026-11-21T00:00:0%dZ\",\"n\":%d}".formatted(n, n));
                if (n == 4) {
                    cluster.post("/plays/_rollover", "");
                }
            }
            Program.Ended ended = reindex("plays", "--verify", "sample").end();
            assertThat(ended.exit()).as(ended.err()).isZero();
            assertThat(documents(NEW)).isEqualTo(documents("plays")).hasSize(10);
            assertThat(settings(NEW)).doesNotContainKey("index.hidden");
            assertThat(cluster.exists("/_alias/plays")).isFalse();
        } finally {
            cluster.call("DELETE", "/_data_stream/plays", "");
            cluster.call("DELETE", "/_index_template/plays", "");
        }
    }

    /** Writers go on through the copy and the swap; afterwards each document is the last that was written. */
    @Test
    void whatIsWrittenMeanwhileIsCaughtUpWith() throws Exception {
        source("{\"settings\":{\"number_of_replicas\":0,\"number_of_shards\":1}}", 3_000);
        cluster.put("/" + OLD + "/_alias/" + ALIAS, "");
        AtomicBoolean writing = new AtomicBoolean(true);
        AtomicInteger next = new AtomicInteger(1_000_000);
        Map<String, Integer> written = new TreeMap<>();
        Thread writer = Thread.ofPlatform().start(() -> {
            while (writing.get()) {
                int n = next.incrementAndGet();
                String id = n % 2 == 0 ? "id-" + (n / 2) % 3_000 : "new-" + n;
                cluster.put("/" + ALIAS + "/_doc/" + id, "{\"n\":%d}".formatted(n));
                written.put(id, n);
            }
        });
        Program.Ended ended;
        try {
            ended = reindex(ALIAS, "--catch-up", "n", "--max-docs-rate", "1500").end();
        } finally {
            writing.set(false);
            writer.join();
        }
        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(ended.err()).contains("caught up with").contains("not what is deleted");
        assertThat(cluster.get("/_alias/" + ALIAS).fieldNames()).toIterable().containsExactly(NEW);
        Map<String, JsonNode> documents = documents(NEW);
        assertThat(written).hasSizeGreaterThan(100);
        Map<String, Integer> there = new TreeMap<>();
        documents.forEach(
                (id, document) -> there.put(id, document.at("/_source/n").asInt()));
        assertThat(there).containsAllEntriesOf(written);
    }

    /** The first search is for the newest document before anything is copied. */
    @Test
    void aSourceThatIsGoneWhenItIsToBeCaughtUpWithIsReportedWithWhatWasCopied() throws Exception {
        source("{\"settings\":{\"number_of_replicas\":0}}", 1_000);
        try (FaultProxy proxy = FaultProxy.start(cluster.url())) {
            proxy.match(head -> head.path().equals("/" + OLD + "/_search"))
                    .script(new Fault.Pass())
                    .always(Fault.Status.notApplied(403));
            Program.Ended ended = program.start(
                            "reindex", OLD, "-i", NEW, "-t", proxy.url().toString(), "--no-sniff", "--catch-up", "n")
                    .end();
            assertThat(ended.exit()).as(ended.err()).isEqualTo(7);
            assertThat(ended.err()).contains("what changed in the source meanwhile was not copied");
            assertThat(ended.documents("indexed")).isEqualTo(1_000);
            assertThat(ended.summary().at("/settings/restored").asBoolean()).isTrue();
            assertThat(settings(NEW)).doesNotContainKey("index.translog.durability");
        }
        Program.Ended again = reindex(OLD, "--catch-up", "n").end();
        assertThat(again.exit()).as(again.err()).isZero();
        assertThat(documents(NEW)).isEqualTo(documents(OLD));
    }

    /** The cluster gives each page of a scroll once: asked again, it gives the one after. */
    @Test
    void aPageWhoseAnswerIsLostIsNotPassedOver() throws Exception {
        source("{\"settings\":{\"number_of_replicas\":0}}", 6_000);
        try (FaultProxy proxy = FaultProxy.start(cluster.url())) {
            proxy.match(head -> head.method().equals("POST") && head.path().equals("/_search/scroll"))
                    .script(new Fault.DropAfter());
            Program.Ended ended = program.start(
                            "reindex",
                            OLD,
                            "-i",
                            NEW,
                            "-t",
                            proxy.url().toString(),
                            "--no-sniff",
                            "--max-rate",
                            "1gb/s")
                    .end();
            assertThat(ended.exit()).as(ended.err()).isZero();
            assertThat(ended.err()).contains(OLD + " cannot be read now");
        }
        assertThat(cluster.count(NEW)).isEqualTo(6_000);
    }

    @Test
    void anAliasOfTheOldAndTheNewIndexEndsOnTheNew() throws Exception {
        source("{\"settings\":{\"number_of_replicas\":0}}", 100);
        cluster.put("/" + NEW, "{\"settings\":{\"number_of_replicas\":0}}");
        cluster.put("/" + OLD + "/_alias/" + ALIAS, "");
        cluster.put("/" + NEW + "/_alias/" + ALIAS, "");

        Program.Ended ended = reindex(OLD, "--alias", ALIAS).end();

        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(cluster.get("/_alias/" + ALIAS).fieldNames()).toIterable().containsExactly(NEW);
        assertThat(ended.err()).contains("to go back to " + OLD).contains("\"index\":\"" + OLD + "\"");
    }

    /** As a rollover leaves it: of several indices one is written to, and the others say that they are not. */
    @Test
    void anAliasOfSeveralIndicesCanBeWrittenToAfterItHasMoved() throws Exception {
        source("{\"settings\":{\"number_of_replicas\":0}}", 100);
        cluster.put(
                "/" + YOUNGER,
                "{\"settings\":{\"number_of_replicas\":0},\"mappings\":{\"properties\":{\"n\":{\"type\":\"long\"}}}}");
        cluster.post(
                "/_aliases",
                "{\"actions\":[{\"add\":{\"index\":\"%s\",\"alias\":\"%s\",\"is_write_index\":false}},{\"add\":{\"index\":\"%s\",\"alias\":\"%s\",\"is_write_index\":true}}]}"
                        .formatted(OLD, ALIAS, YOUNGER, ALIAS));

        Program.Ended ended = reindex(ALIAS).end();

        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(cluster.get("/_alias/" + ALIAS).fieldNames()).toIterable().containsExactly(NEW);
        cluster.put("/" + ALIAS + "/_doc/one-more", "{\"n\":1}");
    }

    @Test
    void whatCannotBeCopiedIsRefusedWithTheReason() throws Exception {
        cluster.put("/" + OLD, "{\"mappings\":{\"_source\":{\"enabled\":false}}}");
        refused(7, "does not keep its documents (_source is off)", OLD);
        cluster.delete("/" + OLD);
        cluster.put("/" + OLD, "{}");
        refused(7, OLD + " has no mapping", OLD);
        cluster.delete("/" + OLD);
        refused(7, "there is no index, alias or data stream " + OLD, OLD);
        refused(2, "cannot be copied into itself", NEW);
        cluster.put(
                "/" + OLD,
                "{\"mappings\":{\"_meta\":{\"penstock\":{\"job\":\"j\",\"host\":\"h\",\"token\":\"t\",\"started\":\"2026-01-01T00:00:00Z\",\"heartbeat\":\"2026-01-01T00:00:00Z\",\"settings\":{},\"cluster_settings\":{}}}}}");
        refused(7, "penstock restore " + OLD, OLD);
        cluster.delete("/" + OLD);
        source("{\"settings\":{\"number_of_replicas\":0}}", 10);
        refused(2, "--catch-up needs a date", OLD, "--catch-up", "title");
        Path query = Files.writeString(folder.resolve("query.json"), "{\"rnage\":{}}");
        refused(2, "cannot be asked with this query", OLD, "--query", query.toString());
        assertThat(cluster.exists("/" + NEW)).isFalse();
    }

    private void refused(int exit, String why, String source, String... options) throws Exception {
        Program.Ended ended = reindex(source, options).end();
        assertThat(ended.exit()).as(ended.err()).isEqualTo(exit);
        assertThat(ended.err()).contains(why);
    }

    // ---- what it works on ---------------------------------------------------------------------------------------

    private Program.Running reindex(String source, String... options) {
        return program.start(Stream.concat(
                        Stream.of(
                                "reindex",
                                source,
                                "-i",
                                NEW,
                                "-t",
                                cluster.url().toString(),
                                "--no-sniff"),
                        Stream.of(options))
                .toArray(String[]::new));
    }

    private void source(String definition, int documents) {
        cluster.put("/" + OLD, definition);
        var bulk = new StringBuilder();
        for (int n = 0; n < documents; n++) {
            bulk.append("{\"index\":{\"_index\":\"%s\",\"_id\":\"id-%d\"%s}}\n"
                    .formatted(OLD, n, n % 7 == 0 ? ",\"routing\":\"r" + n % 3 + "\"" : ""));
            bulk.append(
                    "{\"n\":%d,\"title\":\"track \\u00e9 %d\",\"at\":\"2026-11-%02dT10:00:00Z\",\"parts\":[{\"a\":%d}]}\n"
                            .formatted(n, n, 1 + n % 28, n));
        }
        assertThat(cluster.post("/_bulk?refresh=true", bulk.toString())
                        .path("errors")
                        .asBoolean())
                .isFalse();
    }

    private List<String> copiesUnderWay() {
        var tasks = new ArrayList<String>();
        cluster.get("/_tasks?actions=*reindex&detailed=true")
                .path("nodes")
                .forEach(node -> node.path("tasks")
                        .forEach(task -> tasks.add(task.path("description").asText())));
        return tasks;
    }

    /** Everything of each document but the index it is in. */
    private Map<String, JsonNode> documents(String index) {
        cluster.post("/" + index + "/_refresh", "");
        Map<String, JsonNode> documents = new TreeMap<>();
        JsonNode hits = cluster.post(
                        "/" + index + "/_search", "{\"size\":10000,\"version\":true,\"query\":{\"match_all\":{}}}")
                .at("/hits/hits");
        for (JsonNode hit : hits) {
            ((com.fasterxml.jackson.databind.node.ObjectNode) hit).remove(List.of("_index", "_score"));
            documents.put(hit.path("_id").asText(), hit);
        }
        return documents;
    }

    private Map<String, String> settings(String index) {
        Map<String, String> settings = new TreeMap<>();
        cluster.get("/" + index + "/_settings?flat_settings=true")
                .at("/" + index + "/settings")
                .properties()
                .forEach(setting ->
                        settings.put(setting.getKey(), setting.getValue().asText()));
        return settings;
    }

    private JsonNode mapping(String index) {
        JsonNode mapping = cluster.get("/" + index + "/_mapping").at("/" + index + "/mappings");
        if (mapping.path("_meta") instanceof com.fasterxml.jackson.databind.node.ObjectNode meta) {
            meta.remove("penstock_replaced");
        }
        return mapping;
    }
}
