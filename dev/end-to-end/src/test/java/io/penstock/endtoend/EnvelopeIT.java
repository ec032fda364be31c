package io.penstock.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.envelope.Journal;
import io.penstock.job.ExitCode;
import io.penstock.job.FinishPlan;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.seeds.NumberedDocuments;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows 123 to 136: settings come back whatever happens, and an alias moves only onto what may serve. */
@RealNode
class EnvelopeIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String OWN_SETTINGS =
            "{\"settings\":{\"refresh_interval\":\"7s\",\"number_of_replicas\":1,\"number_of_shards\":1},"
                    + "\"mappings\":{\"_meta\":{\"team\":\"search\"}}}";

    @TempDir
    Path folder;

    private Scene scene;

    @BeforeEach
    void open(RealCluster cluster) {
        scene = new Scene(cluster, folder, "wrapped");
    }

    @AfterEach
    void close() {
        for (String other : new String[] {"wrapped-old", "wrapped-older"}) {
            scene.cluster().call("DELETE", "/" + other, "");
        }
        scene.close();
    }

    @Test
    void settingsAreForLoadingDuringALoadAndAsTheyWereAfterIt() {
        scene.cluster().put("/wrapped", OWN_SETTINGS);
        Map<String, String> before = settings();
        AtomicReference<Map<String, String>> during = new AtomicReference<>(Map.of());
        LoadUnderTest.Outcome outcome = scene.load()
                .enveloped(FinishPlan.COUNT)
                .onEvent(Midway.after(100, () -> during.set(settings())))
                .run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.OK);
        assertThat(outcome.report().settingsRestored()).isTrue();
        assertThat(during.get())
                .containsEntry("index.refresh_interval", "-1")
                .containsEntry("index.number_of_replicas", "0")
                .containsEntry("index.translog.durability", "async");
        assertThat(settings()).isEqualTo(before);
        assertThat(meta()).as("what others keep there").isEqualTo(Map.of("team", "search"));
        assertThat(outcome.told().toString()).contains("expected and not waited for");
        scene.ledger().provesAllIndexed(outcome);
    }

    /** Row 126: a default index has none of the settings, and has none again. */
    @Test
    void whatWasNotSetIsNotSetAgain() {
        LoadUnderTest.Outcome outcome = scene.load().enveloped(FinishPlan.COUNT).run();
        scene.ledger().provesAllIndexed(outcome);
        assertThat(settings())
                .doesNotContainKeys(
                        "index.refresh_interval",
                        "index.translog.durability",
                        "index.translog.sync_interval",
                        "index.translog.flush_threshold_size");
    }

    /** Row 125. */
    @Test
    void whatSomebodyChangesDuringTheLoadStays() {
        scene.cluster().put("/wrapped", OWN_SETTINGS);
        LoadUnderTest.Outcome outcome = scene.load()
                .enveloped(FinishPlan.COUNT)
                .onEvent(Midway.after(
                        100, () -> scene.cluster().put("/wrapped/_settings", "{\"index.refresh_interval\":\"3s\"}")))
                .run();
        assertThat(outcome.report().exit()).isEqualTo(ExitCode.OK);
        assertThat(outcome.told().toString()).contains("index.refresh_interval of wrapped was changed to 3s");
        assertThat(settings())
                .containsEntry("index.refresh_interval", "3s")
                .containsEntry("index.number_of_replicas", "1")
                .doesNotContainKey("index.translog.durability");
    }

    @Test
    void settingsComeBackWhenTheLoadIsStopped() {
        scene.documents(NumberedDocuments.of(5000)).cluster().put("/wrapped", OWN_SETTINGS);
        Map<String, String> before = settings();
        LoadUnderTest load = scene.load().enveloped(FinishPlan.COUNT);
        load.onEvent(Midway.after(100, () -> load.stop(ExitCode.TERMINATE)));
        LoadUnderTest.Outcome stopped = load.run();
        assertThat(stopped.report().exit()).as(stopped.messages()).isEqualTo(ExitCode.TERMINATE);
        assertThat(settings()).isEqualTo(before);
        scene.ledger().provesAllIndexed(load.onEvent(event -> {}).run());
        assertThat(settings()).isEqualTo(before);
    }

    /** Row 123: disks at flood stage take no settings; the journal stays, and the request to paste is told. */
    @Test
    void whatCannotBePutBackIsExit11AndTheNextLoadPutsItBack() {
        scene.cluster().put("/wrapped", OWN_SETTINGS);
        Map<String, String> before = settings();
        scene.documents(NumberedDocuments.of(5000));
        LoadUnderTest load = scene.load().enveloped(FinishPlan.COUNT);
        load.onEvent(Midway.after(100, () -> {
            scene.cluster().settings(Map.of("cluster.blocks.read_only", true));
            load.stop(ExitCode.TERMINATE);
        }));
        LoadUnderTest.Outcome stopped;
        try {
            stopped = load.run();
        } finally {
            scene.cluster().settings(new HashMap<>(Collections.singletonMap("cluster.blocks.read_only", null)));
        }
        assertThat(stopped.report().exit()).as(stopped.messages()).isEqualTo(ExitCode.SETTINGS_NOT_RESTORED);
        assertThat(stopped.report().settingsRestored()).isFalse();
        assertThat(stopped.messages()).contains("penstock restore wrapped", "curl -X PUT", "/wrapped/_settings");
        assertThat(meta()).containsKey("penstock");

        LoadUnderTest.Outcome again = load.onEvent(event -> {}).run();
        assertThat(again.told().toString()).contains("left behind");
        scene.ledger().provesAllIndexed(again);
        assertThat(settings()).isEqualTo(before);
    }

    /** Row 128: an index that is deleted takes its settings with it. */
    @Test
    void anIndexThatIsDeletedHasNothingToPutBack() {
        scene.documents(NumberedDocuments.of(5000)).withIndex("{}");
        LoadUnderTest.Outcome outcome = scene.load()
                .enveloped(FinishPlan.COUNT)
                .onEvent(Midway.after(100, () -> scene.cluster().delete("/wrapped")))
                .run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.TARGET_REFUSES);
        assertThat(outcome.told().toString()).contains("its settings with it");
    }

    /** Row 129. */
    @Test
    void anIndexThatAnotherLivingLoadHoldsIsRefused() throws Exception {
        scene.cluster().put("/wrapped", OWN_SETTINGS);
        Map<String, String> before = settings();
        String now = Instant.now().toString();
        hold(now);
        LoadUnderTest.Outcome refused = scene.load().enveloped(FinishPlan.COUNT).run();
        assertThat(refused.report().exit()).as(refused.messages()).isEqualTo(ExitCode.TARGET_REFUSES);
        assertThat(refused.messages()).contains("load nightly on elsewhere, begun " + now.substring(0, 19) + "Z");

        hold(Instant.now().minus(Journal.ALIVE).toString());
        scene.ledger().provesAllIndexed(scene.load().enveloped(FinishPlan.COUNT).run());
        Map<String, String> expected = new TreeMap<>(before);
        expected.put("index.refresh_interval", "11s");
        assertThat(settings()).as("from before the first load").isEqualTo(expected);
    }

    /** As another load would have left it: refresh was 11s before and is -1 now. */
    private void hold(String heartbeat) throws Exception {
        JsonNode journal = JSON.readTree("""
                {"job": "nightly", "host": "elsewhere", "token": "t", "started": "%s", "heartbeat": "%s",
                 "settings": {"index.refresh_interval": {"before": "11s", "during": "-1"}}, "cluster_settings": {}}""".formatted(heartbeat, heartbeat));
        scene.cluster()
                .put(
                        "/wrapped/_mapping",
                        JSON.createObjectNode()
                                .set(
                                        "_meta",
                                        JSON.createObjectNode()
                                                .<com.fasterxml.jackson.databind.node.ObjectNode>set(
                                                        "penstock", journal)
                                                .put("team", "search"))
                                .toString());
        scene.cluster().put("/wrapped/_settings", "{\"index.refresh_interval\":\"-1\"}");
    }

    /** Row 127. */
    @Test
    void replicasThatExpandByThemselvesDoSoAgain() {
        scene.cluster().put("/wrapped", "{\"settings\":{\"auto_expand_replicas\":\"0-1\"}}");
        Map<String, String> before = settings();
        scene.ledger().provesAllIndexed(scene.load().enveloped(FinishPlan.COUNT).run());
        assertThat(settings()).isEqualTo(before);
    }

    /** What may not be noted may not be changed. */
    @Test
    void aReadOnlyIndexKeepsItsSettingsAndIsRefused() {
        scene.withIndex("{}").cluster().put("/wrapped/_settings", "{\"index.blocks.read_only\":true}");
        Map<String, String> before = settings();
        LoadUnderTest.Outcome outcome = scene.load().enveloped(FinishPlan.COUNT).run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.TARGET_REFUSES);
        assertThat(settings()).isEqualTo(before);
        scene.cluster().put("/wrapped/_settings", "{\"index.blocks.read_only\":null}");
    }

    // ---- cut-over -----------------------------------------------------------------------------------------------

    @Test
    void theAliasMovesWithItsFilterWhenAllIsDoneAndOldIndicesAreKeptAsAsked() {
        for (String old : new String[] {"wrapped-older", "wrapped-old"}) {
            scene.cluster().put("/" + old, "{\"settings\":{\"number_of_replicas\":0}}");
        }
        scene.cluster().put("/wrapped-old/_mapping", "{\"_meta\":{\"penstock_replaced\":[\"wrapped-older\"]}}");
        scene.cluster().put("/wrapped-old/_alias/wrapped-live", "{\"filter\":{\"match_all\":{}}}");

        LoadUnderTest.Outcome outcome = scene.load().enveloped(cutOver(1)).run();

        scene.ledger().provesAllIndexed(outcome);
        JsonNode live = scene.cluster().get("/_alias/wrapped-live");
        assertThat(live.fieldNames()).toIterable().containsExactly("wrapped");
        assertThat(live.at("/wrapped/aliases/wrapped-live/filter/match_all").isMissingNode())
                .isFalse();
        assertThat(outcome.told().toString())
                .contains("to go back to wrapped-old: curl -X POST", "1 segments a shard at most");
        assertThat(scene.cluster().exists("/wrapped-old")).isTrue();
        assertThat(scene.cluster().exists("/wrapped-older")).isFalse();

        LoadUnderTest.Outcome again = scene.load().enveloped(cutOver(1)).run();
        assertThat(again.report().exit()).isEqualTo(ExitCode.OK);
        assertThat(scene.cluster().exists("/wrapped-old")).isTrue();
    }

    /** Row 134. */
    @Test
    void anAliasThatSomebodyMovedMeanwhileStaysWhereItIs() {
        scene.cluster().put("/wrapped-old", "{}");
        scene.cluster().put("/wrapped-older", "{}");
        scene.cluster().put("/wrapped-old/_alias/wrapped-live", "");
        LoadUnderTest load = scene.load().enveloped(cutOver(9));
        LoadUnderTest.Outcome outcome = load.onEvent(
                        Midway.after(
                                100,
                                () -> scene.cluster()
                                        .post(
                                                "/_aliases",
                                                "{\"actions\":[{\"remove\":{\"index\":\"wrapped-old\",\"alias\":\"wrapped-live\"}},"
                                                        + "{\"add\":{\"index\":\"wrapped-older\",\"alias\":\"wrapped-live\"}}]}")))
                .run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.CUT_OVER);
        assertThat(scene.cluster().get("/_alias/wrapped-live").fieldNames())
                .toIterable()
                .containsExactly("wrapped-older");

        LoadUnderTest.Outcome again = load.onEvent(event -> {}).run();
        assertThat(again.report().exit()).as(again.messages()).isEqualTo(ExitCode.OK);
        assertThat(scene.cluster().get("/_alias/wrapped-live").fieldNames())
                .toIterable()
                .containsExactly("wrapped");
    }

    /** Row 133: what does not add up serves nobody. */
    @Test
    void theAliasStaysWhenTheCountIsWrong() {
        scene.cluster().put("/wrapped-old", "{}");
        scene.cluster().put("/wrapped-old/_alias/wrapped-live", "");
        LoadUnderTest.Outcome outcome = scene.load()
                .enveloped(cutOver(9))
                .onEvent(Midway.after(500, () -> {
                    scene.cluster().post("/wrapped/_refresh", "");
                    scene.cluster().post("/wrapped/_delete_by_query", "{\"query\":{\"match_all\":{}}}");
                }))
                .run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.VERIFICATION);
        assertThat(outcome.report().settingsRestored()).isTrue();
        assertThat(scene.cluster().get("/_alias/wrapped-live").fieldNames())
                .toIterable()
                .containsExactly("wrapped-old");
    }

    /** Row 133. */
    @Test
    void whatIsMissingIsNamedWithItsPlace() {
        List<String> deleted = new ArrayList<>();
        LoadUnderTest.Outcome outcome = scene.load()
                .enveloped(FinishPlan.COUNT)
                .onEvent(Midway.after(500, () -> {
                    for (JsonNode hit : scene.cluster().scan("wrapped").subList(0, 3)) {
                        deleted.add(hit.path("_id").asText());
                    }
                    deleted.forEach(id -> scene.cluster().delete("/wrapped/_doc/" + id));
                }))
                .run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.VERIFICATION);
        String missing = outcome.messages().substring(outcome.messages().indexOf("not there are"));
        assertThat(missing).contains(deleted).contains(", line ");
        assertThat(missing.split("line ")).as("places").hasSize(4);
    }

    @Test
    void documentsReadBackAreAsTheyWereRead() {
        LoadUnderTest.Outcome outcome = scene.load().enveloped(sampled()).run();
        scene.ledger().provesAllIndexed(outcome);
        assertThat(outcome.told().toString()).contains("100 documents read back and compared");
    }

    /** The count is right, and the alias stays where it is all the same. */
    @Test
    void anAliasDoesNotMoveWhenDocumentsReadBackAreNotAsTheyWereRead() {
        scene.cluster().put("/wrapped-old", "{\"settings\":{\"number_of_replicas\":0}}");
        scene.cluster().put("/wrapped-old/_alias/wrapped-live", "");
        LoadUnderTest.Outcome outcome = scene.load()
                .enveloped(sampled())
                .onEvent(Midway.after(500, () -> {
                    scene.cluster().post("/wrapped/_refresh", "");
                    var changes = new StringBuilder();
                    for (JsonNode hit : scene.cluster().scan("wrapped")) {
                        changes.append("{\"index\":{\"_id\":\"%s\"}}\n{\"changed\":true}\n"
                                .formatted(hit.path("_id").asText()));
                    }
                    scene.cluster().post("/wrapped/_bulk", changes.toString());
                }))
                .run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.VERIFICATION);
        assertThat(outcome.messages()).contains("documents that were read back are not what was read");
        assertThat(scene.cluster().get("/_alias/wrapped-live").fieldNames())
                .toIterable()
                .containsExactly("wrapped-old");
    }

    private static FinishPlan sampled() {
        return new FinishPlan(true, true, OptionalInt.empty(), Optional.of("wrapped-live"), OptionalInt.empty());
    }

    private static FinishPlan cutOver(int keepOld) {
        return new FinishPlan(true, false, OptionalInt.of(1), Optional.of("wrapped-live"), OptionalInt.of(keepOld));
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>();
        scene.cluster()
                .get("/wrapped/_settings?flat_settings=true")
                .at("/wrapped/settings")
                .properties()
                .forEach(setting ->
                        settings.put(setting.getKey(), setting.getValue().asText()));
        return settings;
    }

    private Map<String, Object> meta() {
        Map<String, Object> meta = new TreeMap<>();
        scene.cluster()
                .get("/wrapped/_mapping")
                .at("/wrapped/mappings/_meta")
                .properties()
                .forEach(entry -> meta.put(
                        entry.getKey(),
                        entry.getValue().isTextual() ? entry.getValue().asText() : entry.getValue()));
        return meta;
    }
}
