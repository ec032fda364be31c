package io.penstock.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.job.ExitCode;
import io.penstock.job.FinishPlan;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.proxy.Fault;
import io.penstock.testkit.seeds.NumberedDocuments;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an envelope does to what is not simply an open index, and when answers are lost or rights are gone. */
@RealNode
class EnvelopeTargetsIT {
    private static final String OWN_SETTINGS =
            "{\"settings\":{\"refresh_interval\":\"7s\",\"number_of_replicas\":0,\"number_of_shards\":1}}";

    @TempDir
    Path folder;

    private Scene scene;

    @BeforeEach
    void open(RealCluster cluster) {
        scene = new Scene(cluster, folder, "target");
    }

    @AfterEach
    void close() {
        scene.cluster().call("DELETE", "/target-1", "");
        scene.cluster().call("DELETE", "/_data_stream/target", "");
        scene.cluster().call("DELETE", "/_index_template/target", "");
        scene.close();
    }

    @Test
    void anAliasMeansTheIndexBehindIt() {
        scene.cluster().put("/target-1", OWN_SETTINGS);
        scene.cluster().put("/target-1/_alias/target", "");
        changesAndPutsBack("target-1");
    }

    @Test
    void aDataStreamMeansTheBackingIndexThatIsWrittenTo() {
        scene.cluster()
                .put(
                        "/_index_template/target",
                        "{\"index_patterns\":[\"target\"],\"data_stream\":{},\"template\":{\"settings\":{\"refresh_interval\":\"9s\",\"number_of_replicas\":0}}}");
        scene.cluster().put("/_data_stream/target", "");
        scene.cluster().post("/target/_rollover", "");
        String backing = scene.cluster()
                .get("/_data_stream/target")
                .at("/data_streams/0/indices/1/index_name")
                .asText();
        assertThat(backing).endsWith("2");
        Map<String, String> before = settings(backing);
        AtomicReference<Map<String, String>> during = new AtomicReference<>(Map.of());
        LoadUnderTest.Outcome outcome = scene.loadOf(
                        "{\"@timestamp\":\"2026-11-21T00:00:00Z\",\"n\":1}",
                        "{\"@timestamp\":\"2026-11-21T00:00:01Z\",\"n\":2}")
                .operation(io.penstock.core.document.Operation.CREATE, null)
                .enveloped(FinishPlan.COUNT)
                .onEvent(Midway.after(1, () -> during.set(settings(backing))))
                .run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.OK);
        assertThat(during.get()).containsEntry("index.refresh_interval", "-1");
        assertThat(settings(backing)).isEqualTo(before).containsEntry("index.refresh_interval", "9s");
    }

    /** The index that the load makes has the template's settings when the load is done, as any other would have. */
    @Test
    void aTemplateWithTheSameSettingsHasItsWayInTheEnd() {
        scene.cluster()
                .put(
                        "/_index_template/target",
                        "{\"index_patterns\":[\"target*\"],\"template\":{\"settings\":{\"refresh_interval\":\"9s\",\"number_of_replicas\":0,\"translog.durability\":\"async\"}}}");
        scene.cluster().put("/target-1", "");
        LoadUnderTest.Outcome outcome = scene.load().enveloped(FinishPlan.COUNT).run();
        scene.ledger().provesAllIndexed(outcome);
        Map<String, String> loaded = settings("target");
        Map<String, String> made = settings("target-1");
        for (Map<String, String> each : List.of(loaded, made)) {
            each.keySet().removeIf(name -> name.contains("uuid") || name.contains("date") || name.contains("provided"));
        }
        assertThat(loaded).isEqualTo(made).containsEntry("index.refresh_interval", "9s");
    }

    @Test
    void anIndexThatIsClosedMeanwhileHasItsSettingsBack() {
        scene.documents(NumberedDocuments.of(5_000)).cluster().put("/target", OWN_SETTINGS);
        Map<String, String> before = settings("target");
        LoadUnderTest.Outcome outcome = scene.load()
                .enveloped(FinishPlan.COUNT)
                .onEvent(Midway.after(100, () -> scene.cluster().post("/target/_close", "")))
                .run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.TARGET_REFUSES);
        assertThat(outcome.messages()).contains("closed");
        scene.cluster().post("/target/_open", "");
        Map<String, String> after = settings("target");
        after.remove("index.verified_before_close");
        assertThat(after).isEqualTo(before);
    }

    @Test
    void aClosedIndexIsRefusedAndNothingIsChanged() {
        scene.cluster().put("/target", OWN_SETTINGS);
        scene.cluster().post("/target/_close", "");
        Map<String, String> before = settings("target");
        LoadUnderTest.Outcome outcome = scene.load().enveloped(FinishPlan.COUNT).run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.TARGET_REFUSES);
        assertThat(settings("target")).isEqualTo(before);
    }

    /** Row 124: rights that are gone when the settings are to go back. */
    @Test
    void withoutTheRightToPutThemBackSettingsArePendingAndTheNextLoadPutsThemBack() {
        scene.cluster().put("/target", OWN_SETTINGS);
        Map<String, String> before = settings("target");
        scene.proxy()
                .match(head -> head.method().equals("PUT") && head.path().endsWith("/_settings"))
                .script(new Fault.Pass())
                .always(new Fault.Status(
                        403,
                        Map.of("Content-Type", "application/json"),
                        "{\"error\":{\"type\":\"security_exception\",\"reason\":\"no permissions\"},\"status\":403}",
                        false));
        LoadUnderTest load = scene.load().enveloped(FinishPlan.COUNT);
        LoadUnderTest.Outcome pending = load.run();
        assertThat(pending.report().exit()).as(pending.messages()).isEqualTo(ExitCode.SETTINGS_NOT_RESTORED);
        assertThat(pending.messages()).contains("no permissions").contains("curl -X PUT");
        scene.proxy().heal();
        LoadUnderTest.Outcome again = load.run();
        assertThat(again.report().exit()).as(again.messages()).isEqualTo(ExitCode.OK);
        assertThat(settings("target")).isEqualTo(before);
    }

    /** The flush for a checkpoint in the background begins after 15 s, and the load ends before it does. */
    @Test
    @Tag("torture")
    void aLoadThatEndsWhileAFlushIsUnderWayEndsWell() {
        var rate = io.penstock.core.load.RateLimit.none();
        rate.set(60, Double.POSITIVE_INFINITY);
        scene.proxy()
                .match(head -> head.path().endsWith("/_flush"))
                .script(new Fault.DelayedReply(Duration.ofSeconds(8)));
        LoadUnderTest.Outcome outcome =
                scene.load().rate(rate).enveloped(FinishPlan.COUNT).run();
        scene.ledger().provesAllIndexed(outcome);
        assertThat(outcome.told().toString()).doesNotContain("no checkpoint for now");
    }

    /** Row 135. The first of these requests is the load's own guard. */
    @Test
    void aLostAnswerToTheSwapIsLookedUp() {
        swapAnsweredWith(new Fault.DropAfter());
    }

    /** Row 136. */
    @Test
    void aSwapThatIsNotYetAcknowledgedIsLookedUp() {
        swapAnsweredWith(
                new Fault.Status(200, Map.of("Content-Type", "application/json"), "{\"acknowledged\":false}", true));
    }

    private void swapAnsweredWith(Fault fault) {
        scene.cluster().put("/target-1", OWN_SETTINGS);
        scene.cluster().put("/target-1/_alias/target-live", "");
        scene.proxy().match(head -> head.path().equals("/_aliases")).script(new Fault.Pass(), fault);
        LoadUnderTest.Outcome outcome = scene.load()
                .enveloped(new FinishPlan(
                        true, false, OptionalInt.empty(), Optional.of("target-live"), OptionalInt.empty()))
                .run();
        scene.ledger().provesAllIndexed(outcome);
        assertThat(scene.cluster().get("/_alias/target-live").fieldNames())
                .toIterable()
                .containsExactly("target");
    }

    private void changesAndPutsBack(String index) {
        Map<String, String> before = settings(index);
        AtomicReference<Map<String, String>> during = new AtomicReference<>(Map.of());
        LoadUnderTest.Outcome outcome = scene.load()
                .enveloped(FinishPlan.COUNT)
                .onEvent(Midway.after(100, () -> during.set(settings(index))))
                .run();
        scene.ledger().provesAllIndexed(outcome);
        assertThat(during.get()).containsEntry("index.refresh_interval", "-1");
        assertThat(settings(index)).isEqualTo(before);
    }

    private Map<String, String> settings(String index) {
        Map<String, String> settings = new TreeMap<>();
        JsonNode found = scene.cluster()
                .get("/" + index + "/_settings?flat_settings=true")
                .path(index)
                .path("settings");
        found.properties()
                .forEach(setting ->
                        settings.put(setting.getKey(), setting.getValue().asText()));
        return settings;
    }
}
