package io.penstock.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.event.LoadEvent;
import io.penstock.core.window.Outcome;
import io.penstock.core.window.WindowSize;
import io.penstock.job.ExitCode;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.seeds.NumberedDocuments;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** An index that takes nothing for a while, or no more at all: what is waited for, what ends the load, what stays. */
@RealNode
class BlockedIndexIT {
    private static final String INDEX = "blocked";
    private static final String FLOODED = "{\"index.blocks.read_only_allow_delete\":true}";
    private static final String DRY = "{\"index.blocks.read_only_allow_delete\":null}";

    @TempDir
    Path folder;

    private Scene scene;

    @BeforeEach
    void open(RealCluster cluster) {
        scene = new Scene(cluster, folder, INDEX);
    }

    @AfterEach
    void close() {
        scene.close();
    }

    /** Row 78: a full disk is waited for, and is no reason to send less at a time. */
    @Test
    void waitsWhileTheDiskIsAtFloodStageAndKeepsItsWindow() {
        scene.documents(NumberedDocuments.of(5000)).withIndex("{}");
        AtomicInteger refusals = new AtomicInteger();
        Midway flood = Midway.after(200, () -> scene.cluster().put("/blocked/_settings", FLOODED));
        LoadUnderTest.Outcome outcome = scene.load()
                .freeConcurrency()
                .onEvent(event -> {
                    flood.accept(event);
                    if (isFloodStage(event) && refusals.incrementAndGet() == 4) {
                        scene.cluster().put("/blocked/_settings", DRY);
                    }
                })
                .run();
        assertThat(flood.isDone()).isTrue();
        assertThat(refusals.get()).isGreaterThanOrEqualTo(4);
        scene.ledger().provesAllIndexed(outcome);
        provesTheWindowDidNotShrink(outcome);
    }

    /** Row 78: for as long as it is allowed to. */
    @Test
    void givesUpWhenTheDiskStaysAtFloodStageAndResumesLater() {
        scene.withIndex("{}");
        LoadUnderTest load = scene.load()
                .outageMax(Duration.ofSeconds(2))
                .onEvent(Midway.after(200, () -> scene.cluster().put("/blocked/_settings", FLOODED)));
        LoadUnderTest.Outcome stopped = load.run();
        assertThat(stopped.report().exit()).isEqualTo(ExitCode.TARGET_UNUSABLE);
        assertThat(stopped.messages()).contains("flood stage");
        assertThat(stopped.letters()).isEmpty();
        assertThat(stopped.took()).isLessThan(Duration.ofSeconds(20));
        assertThat(scene.cluster().get("/blocked/_settings").toString())
                .as("the block is not ours to remove")
                .contains("read_only_allow_delete");

        scene.cluster().put("/blocked/_settings", DRY);
        scene.ledger().provesAllIndexed(load.run());
    }

    /** Row 78, with the server's own disk monitor, which sets the block and takes it away again. */
    @Test
    @Tag("torture")
    void waitsForTheServersOwnDiskMonitor() {
        scene.withIndex("{}");
        Map<String, Object> full = Map.of(
                "cluster.routing.allocation.disk.watermark.low", "1%",
                "cluster.routing.allocation.disk.watermark.high", "2%",
                "cluster.routing.allocation.disk.watermark.flood_stage", "3%",
                "cluster.info.update.interval", "10s",
                "cluster.routing.allocation.disk.threshold_enabled", true);
        AtomicInteger refusals = new AtomicInteger();
        scene.cluster().settings(full);
        try {
            await().atMost(Duration.ofSeconds(60))
                    .until(() ->
                            scene.cluster().get("/blocked/_settings").toString().contains("read_only_allow_delete"));
            LoadUnderTest.Outcome outcome = scene.load()
                    .freeConcurrency()
                    .onEvent(event -> {
                        if (isFloodStage(event) && refusals.incrementAndGet() == 2) {
                            scene.cluster().settings(withoutWatermarks());
                        }
                    })
                    .run();
            scene.ledger().provesAllIndexed(outcome);
            provesTheWindowDidNotShrink(outcome);
        } finally {
            Map<String, Object> reset = withoutWatermarks();
            reset.put("cluster.info.update.interval", null);
            reset.put("cluster.routing.allocation.disk.threshold_enabled", false);
            scene.cluster().settings(reset);
            // The monitor also forbids new indices while disks are full, at its next look after we have filled them.
            scene.cluster().settings(new HashMap<>(Collections.singletonMap("cluster.blocks.create_index", null)));
            scene.cluster().put("/_all/_settings", DRY);
        }
    }

    /** Row 78: while disks are full no index can be made; that passes, and is no refusal. */
    @Test
    void findsTheTargetUnusableWhileNoIndexCanBeMade() {
        scene.cluster().settings(Map.of("cluster.blocks.create_index", true));
        LoadUnderTest load = scene.load();
        LoadUnderTest.Outcome stopped;
        try {
            stopped = load.run();
        } finally {
            scene.cluster().settings(new HashMap<>(Collections.singletonMap("cluster.blocks.create_index", null)));
        }
        assertThat(stopped.report().exit()).as(stopped.messages()).isEqualTo(ExitCode.TARGET_UNUSABLE);
        scene.ledger().provesAllIndexed(load.run());
    }

    private static Map<String, Object> withoutWatermarks() {
        Map<String, Object> reset = new HashMap<>();
        for (String level : List.of("low", "high", "flood_stage")) {
            reset.put("cluster.routing.allocation.disk.watermark." + level, null);
        }
        return reset;
    }

    private static boolean isFloodStage(LoadEvent event) {
        return event instanceof LoadEvent.RequestEnded ended && ended.trouble().contains("flood stage");
    }

    private static void provesTheWindowDidNotShrink(LoadUnderTest.Outcome outcome) {
        assertThat(outcome.events(LoadEvent.RequestEnded.class))
                .noneMatch(ended -> ended.outcome() == Outcome.PUSHED_BACK);
        int concurrency = 0;
        for (LoadEvent.WindowMoved moved : outcome.events(LoadEvent.WindowMoved.class)) {
            WindowSize size = moved.size();
            assertThat(size.concurrency()).as(moved.reason()).isGreaterThanOrEqualTo(Math.min(concurrency, 2));
            concurrency = size.concurrency();
        }
    }

    static Stream<Arguments> endings() {
        return Stream.of(
                Arguments.of(
                        "row 79: write-blocked",
                        "FORBIDDEN/8",
                        settings("{\"index.blocks.write\":true}"),
                        settings("{\"index.blocks.write\":null}")),
                Arguments.of(
                        "row 79: read-only",
                        "FORBIDDEN/5",
                        settings("{\"index.blocks.read_only\":true}"),
                        settings("{\"index.blocks.read_only\":null}")),
                Arguments.of(
                        "row 79: the whole cluster read-only",
                        "FORBIDDEN/6",
                        clusterReadOnly("true"),
                        clusterReadOnly("null")),
                Arguments.of("row 82: closed", "close", post("/blocked/_close"), post("/blocked/_open")));
    }

    private static Consumer<RealCluster> settings(String json) {
        return cluster -> cluster.put("/blocked/_settings", json);
    }

    private static Consumer<RealCluster> clusterReadOnly(String value) {
        return cluster ->
                cluster.put("/_cluster/settings", "{\"transient\":{\"cluster.blocks.read_only\":" + value + "}}");
    }

    private static Consumer<RealCluster> post(String path) {
        return cluster -> cluster.post(path, "");
    }

    /** Somebody has decided that the index takes no more: nothing is given up, and the load says who is to act. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("endings")
    void stopsWithoutDeadLettersAndResumes(
            String row, String named, Consumer<RealCluster> block, Consumer<RealCluster> release) {
        LoadUnderTest load = scene.load().onEvent(Midway.after(200, () -> block.accept(scene.cluster())));
        LoadUnderTest.Outcome stopped;
        try {
            stopped = load.run();
        } finally {
            release.accept(scene.cluster());
        }
        assertThat(stopped.report().exit()).as(stopped.messages()).isEqualTo(ExitCode.TARGET_REFUSES);
        assertThat(stopped.messages()).contains(named);
        assertThat(stopped.letters()).isEmpty();
        await().atMost(Duration.ofSeconds(20))
                .until(() -> scene.cluster().call("GET", "/blocked/_count", "").status() == 200);
        scene.ledger().provesNothingFalse(stopped, scene.proxy().journal());
        scene.ledger().provesAllIndexed(load.run());
    }

    /** Row 80: an index deleted in mid-load stays deleted. */
    @Test
    void doesNotBringADeletedIndexBack() {
        Midway deletion = Midway.after(200, () -> scene.cluster().delete("/blocked"));
        LoadUnderTest load = scene.load().onEvent(deletion);
        LoadUnderTest.Outcome stopped = load.run();
        assertThat(deletion.isDone()).isTrue();
        assertThat(stopped.report().exit()).as(stopped.messages()).isEqualTo(ExitCode.TARGET_REFUSES);
        assertThat(stopped.letters()).isEmpty();
        assertThat(scene.cluster().exists("/blocked")).isFalse();
        assertThat(scene.cluster().get("/_cat/indices?format=json").toString()).doesNotContain("penstock");

        // The same command again must not mistake a new index for the old one.
        LoadUnderTest.Outcome again = load.run();
        assertThat(again.report().exit()).isEqualTo(ExitCode.TARGET_REFUSES);
        assertThat(again.messages()).contains("--restart");
        assertThat(scene.cluster().exists("/blocked")).isFalse();
    }

    /** Row 83: an alias that gets a second index in mid-load changes nothing: the index was found at the start. */
    @Test
    void staysWithTheIndexThatTheAliasStoodForAtTheStart() {
        scene.withIndex("{}");
        scene.cluster().put("/blocked-other", "{}");
        scene.cluster().put("/blocked/_alias/blocked-alias", "");
        try {
            LoadUnderTest.Outcome outcome = new LoadUnderTest(
                            folder,
                            scene.documents().write(folder.resolve("in")),
                            "blocked-alias",
                            scene.proxy().url())
                    .window(16 << 10, 4)
                    .onEvent(Midway.after(200, () -> scene.cluster().put("/blocked-other/_alias/blocked-alias", "")))
                    .run();
            scene.ledger().provesAllIndexed(outcome);
            assertThat(scene.cluster().count("blocked-other")).isZero();
        } finally {
            scene.cluster().delete("/blocked-other");
        }
    }

    /** Row 83: an alias for several indices without a write index is refused before anything is written. */
    @Test
    void refusesAnAliasWithoutAWriteIndex() {
        scene.withIndex("{}");
        scene.cluster().put("/blocked-other", "{}");
        scene.cluster().put("/blocked,blocked-other/_alias/blocked-alias", "");
        try {
            LoadUnderTest.Outcome stopped = new LoadUnderTest(
                            folder,
                            scene.documents().write(folder.resolve("in")),
                            "blocked-alias",
                            scene.proxy().url())
                    .run();
            assertThat(stopped.report().exit()).isEqualTo(ExitCode.TARGET_REFUSES);
            assertThat(stopped.messages()).contains("write index");
            assertThat(scene.proxy().journal().requests()).isZero();
        } finally {
            scene.cluster().delete("/blocked-other");
        }
    }

    /** Row 83: the alias that the load writes through loses its write index. */
    @Test
    void stopsWhenItsOwnAliasStandsForTwoIndices() {
        scene.cluster().put("/blocked-other", "{}");
        try {
            LoadUnderTest load = scene.load().onEvent(Midway.after(200, this::addToLoadAlias));
            LoadUnderTest.Outcome stopped = load.run();
            assertThat(stopped.report().exit()).as(stopped.messages()).isEqualTo(ExitCode.TARGET_REFUSES);
            assertThat(stopped.messages()).contains("write index");
            assertThat(stopped.letters()).isEmpty();

            scene.cluster().delete("/blocked-other");
            scene.ledger().provesAllIndexed(load.run());
        } finally {
            scene.cluster().call("DELETE", "/blocked-other", "");
        }
    }

    private void addToLoadAlias() {
        String alias = scene.cluster()
                .get("/blocked/_alias")
                .at("/blocked/aliases")
                .fieldNames()
                .next();
        scene.cluster()
                .post(
                        "/_aliases",
                        "{\"actions\":[{\"remove\":{\"index\":\"blocked\",\"alias\":\"" + alias
                                + "\"}},{\"add\":{\"index\":\"blocked\",\"alias\":\"" + alias
                                + "\",\"is_hidden\":true,\"is_write_index\":false}},{\"add\":{\"index\":\"blocked-other\",\"alias\":\""
                                + alias + "\",\"is_hidden\":true}}]}");
    }

    /** Row 77: the node's memory is full for a while. */
    @Test
    void sendsLessAndGoesOnWhenACircuitBreakerOpens() {
        AtomicInteger refusals = new AtomicInteger();
        Midway trip = Midway.after(
                200, () -> scene.cluster().settings(Map.of("network.breaker.inflight_requests.limit", "1kb")));
        try {
            LoadUnderTest.Outcome outcome = scene.load()
                    .freeConcurrency()
                    .onEvent(event -> {
                        trip.accept(event);
                        if (event instanceof LoadEvent.RequestEnded ended
                                && ended.outcome() == Outcome.PUSHED_BACK
                                && refusals.incrementAndGet() == 5) {
                            resetBreaker();
                        }
                    })
                    .run();
            assertThat(refusals.get()).isGreaterThanOrEqualTo(5);
            scene.ledger().provesAllIndexed(outcome);
        } finally {
            resetBreaker();
        }
    }

    /** Row 77: and stops when it stays so. */
    @Test
    void givesUpWhenACircuitBreakerStaysOpenAndResumesLater() {
        LoadUnderTest load = scene.load()
                .outageMax(Duration.ofSeconds(2))
                .onEvent(Midway.after(
                        200, () -> scene.cluster().settings(Map.of("network.breaker.inflight_requests.limit", "1kb"))));
        try {
            LoadUnderTest.Outcome stopped = load.run();
            assertThat(stopped.report().exit()).as(stopped.messages()).isEqualTo(ExitCode.TARGET_UNUSABLE);
            assertThat(stopped.letters()).isEmpty();
        } finally {
            resetBreaker();
        }
        scene.ledger().provesAllIndexed(load.run());
    }

    private void resetBreaker() {
        scene.cluster()
                .settings(new HashMap<>(Collections.singletonMap("network.breaker.inflight_requests.limit", null)));
    }
}
