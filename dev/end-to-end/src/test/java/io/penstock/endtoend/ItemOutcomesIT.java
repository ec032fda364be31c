package io.penstock.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.core.document.Operation;
import io.penstock.core.fate.Counts;
import io.penstock.job.ExitCode;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.proxy.Fault;
import io.penstock.testkit.proxy.Fault.Pass;
import io.penstock.testkit.seeds.NumberedDocuments;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One reply, many items: each item has the end that the server gave it, and no other. */
@RealNode
class ItemOutcomesIT {
    private static final String STRICT =
            "{\"dynamic\":\"strict\",\"properties\":{\"n\":{\"type\":\"long\"},\"key\":{\"type\":\"keyword\"},"
                    + "\"crc\":{\"type\":\"long\"},\"text\":{\"type\":\"text\"}}}";

    @TempDir
    Path folder;

    private Scene scene;

    @BeforeEach
    void open(RealCluster cluster) {
        scene = new Scene(cluster, folder, "items");
    }

    @AfterEach
    void close() {
        scene.close();
    }

    /** Row 40, by hand: the same error under both names; the real thing is in the overload tests. */
    @ParameterizedTest
    @org.junit.jupiter.params.provider.ValueSource(
            strings = {"rejected_execution_exception", "es_rejected_execution_exception"})
    void sendsAgainOnlyTheItemThatWasPushedBack(String type) {
        scene.proxy().script(new Pass(), new Fault.ItemError(3, 429, type, "queue capacity"));
        LoadUnderTest.Outcome outcome = scene.load().run();
        scene.ledger().provesAllIndexed(outcome);
        assertThat(scene.proxy().journal().items())
                .as("items sent")
                .isEqualTo(scene.documents().count() + 1L);
        assertThat(outcome.report().counts().retried()).isEqualTo(1);
    }

    /** Row 41: our own lost success is no conflict. */
    @Test
    void countsItsOwnEarlierCreateAsIndexed() {
        scene.proxy().script(new Pass(), new Fault.DropAfter(), new Fault.DropAfter());
        LoadUnderTest.Outcome outcome =
                scene.load().operation(Operation.CREATE, "key").run();
        scene.ledger().provesAllIndexed(outcome);
        assertThat(scene.proxy().journal().itemStatuses().get(409))
                .as("conflicts with ourselves")
                .isPositive();
        assertThat(outcome.report().counts().superseded()).isZero();
    }

    /** Row 42: under an external version the index already holds exactly what we send. */
    @Test
    void countsItsOwnEarlierVersionAsIndexed() {
        scene.proxy().script(new Pass(), new Fault.DropAfter(), new Fault.DropAfter());
        LoadUnderTest.Outcome outcome = scene.load()
                .operation(Operation.INDEX, "key")
                .versionField("crc")
                .run();
        scene.ledger().provesAllIndexed(outcome);
        assertThat(scene.proxy().journal().itemStatuses().get(409)).isPositive();
        assertThat(outcome.report().counts().superseded()).isZero();
    }

    /** Row 43: a newer version in the index stays. */
    @Test
    void leavesNewerVersionsAloneAndCountsThemAsSuperseded() {
        scene.withIndex("{}");
        scene.cluster()
                .put("/items/_doc/b?version=9&version_type=external", "{\"id\":\"b\",\"v\":9,\"from\":\"newer\"}");
        LoadUnderTest.Outcome outcome = scene.loadOf(
                        "{\"id\":\"a\",\"v\":8}", "{\"id\":\"b\",\"v\":8}", "{\"id\":\"c\",\"v\":8}")
                .operation(Operation.INDEX, "id")
                .versionField("v")
                .run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.OK);
        Counts counts = outcome.report().counts();
        assertThat(counts.superseded()).isEqualTo(1);
        assertThat(counts.indexed()).isEqualTo(2);
        assertThat(scene.cluster().get("/items/_doc/b").at("/_source/from").asText())
                .isEqualTo("newer");
    }

    /** Row 44: somebody else's document under the same id is never overwritten by a create. */
    @Test
    void putsCreatesThatMeetAnothersDocumentIntoTheDeadLetters() {
        scene.withIndex("{}");
        scene.cluster().put("/items/_doc/b", "{\"id\":\"b\",\"from\":\"another\"}");
        LoadUnderTest.Outcome outcome = scene.loadOf("{\"id\":\"a\"}", "{\"id\":\"b\"}", "{\"id\":\"c\"}")
                .operation(Operation.CREATE, "id")
                .run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.DEAD_LETTERS);
        assertThat(outcome.letters()).singleElement().satisfies(letter -> {
            assertThat(letter.status()).isEqualTo(409);
            assertThat(letter.position().line()).isEqualTo(2);
        });
        assertThat(scene.cluster().get("/items/_doc/b").at("/_source/from").asText())
                .isEqualTo("another");
        assertThat(scene.cluster().count("items")).isEqualTo(3);
    }

    static Stream<Arguments> lies() {
        return Stream.of(
                Arguments.of("row 47: items in another order", new Fault.SwapItems()),
                Arguments.of("row 47: an item repeated", new Fault.DuplicateItem()),
                Arguments.of("row 48: a wrong errors flag", new Fault.FlipErrorsFlag()),
                Arguments.of("row 45: the last item missing", new Fault.FewerItems()));
    }

    /** The first and the last document of a request are bad; a reply that lies about places must not move the blame. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("lies")
    void blamesTheRightDocumentWhateverTheReplySays(String row, Fault fault) {
        scene.documents(NumberedDocuments.of(50)).withIndex(STRICT);
        String[] lines =
                IntStream.range(0, 50).mapToObj(scene.documents()::line).toArray(String[]::new);
        lines[0] = "{\"n\":0,\"unknown\":1}";
        lines[7] = "{\"n\":7,\"unknown\":1}";
        scene.proxy().script(fault, fault);
        LoadUnderTest.Outcome outcome = scene.loadOf(lines).window(64 << 10, 1).run();
        scene.ledger().provesAllButDead(outcome, Set.of(0, 7));
        assertThat(outcome.letters())
                .allSatisfy(letter -> assertThat(letter.type()).isEqualTo("strict_dynamic_mapping_exception"));
    }

    /** Row 48: {@code errors:false} over a failed item, for the whole load. */
    @Test
    void neverTrustsTheErrorsFlag() {
        scene.withIndex(STRICT);
        String[] lines =
                IntStream.range(0, 1000).mapToObj(scene.documents()::line).toArray(String[]::new);
        lines[500] = "{\"n\":500,\"unknown\":1}";
        scene.proxy().always(new Fault.FlipErrorsFlag());
        scene.ledger().provesAllButDead(scene.loadOf(lines).run(), Set.of(500));
    }

    /** Row 49: what nobody knows is not thrown away. */
    @Test
    void stopsAtAnErrorItDoesNotKnowAndKeepsTheDocument() {
        scene.proxy().always(new Fault.ItemError(0, 418, "teapot_exception", "short and stout"));
        LoadUnderTest load = scene.load();
        LoadUnderTest.Outcome stopped = load.run();
        assertThat(stopped.report().exit()).isEqualTo(ExitCode.TARGET_REFUSES);
        assertThat(stopped.messages())
                .contains("418")
                .contains("teapot_exception")
                .contains("short and stout");
        assertThat(stopped.letters()).isEmpty();
        scene.ledger().provesNothingFalse(stopped, scene.proxy().journal());

        scene.proxy().heal();
        scene.ledger().provesAllIndexed(load.run());
    }

    /** Row 51: the user's own pipeline may drop documents; they are counted, not missed. */
    @Test
    void countsDocumentsThatAPipelineDrops() {
        scene.cluster()
                .put("/_ingest/pipeline/drop-some", "{\"processors\":[{\"drop\":{\"if\":\"ctx.n % 10 == 3\"}}]}");
        try {
            LoadUnderTest.Outcome outcome = scene.load().pipeline("drop-some").run();
            Set<Integer> dropped = IntStream.range(0, 1000)
                    .filter(n -> n % 10 == 3)
                    .boxed()
                    .collect(java.util.stream.Collectors.toSet());
            scene.ledger().provesAllBut(outcome, Set.of(), dropped);
        } finally {
            scene.cluster().delete("/_ingest/pipeline/drop-some");
        }
    }

    static Stream<Arguments> rewrites() {
        return Stream.of(Arguments.of("_id", "moved-{{n}}"), Arguments.of("_index", "items-elsewhere"));
    }

    /** Row 52: a pipeline that sends documents elsewhere stops the load before anything is counted wrongly. */
    @ParameterizedTest
    @MethodSource("rewrites")
    void stopsWhenAPipelineChangesWhereDocumentsGo(String field, String value) {
        scene.cluster()
                .put(
                        "/_ingest/pipeline/rewrite",
                        "{\"processors\":[{\"set\":{\"field\":\"" + field + "\",\"value\":\"" + value + "\"}}]}");
        try {
            LoadUnderTest.Outcome stopped = scene.load().pipeline("rewrite").run();
            assertThat(stopped.report().exit()).isIn(ExitCode.TARGET_REFUSES, ExitCode.BUG);
            assertThat(stopped.report().counts().indexed()).isZero();
            assertThat(stopped.letters()).isEmpty();
        } finally {
            scene.cluster().delete("/_ingest/pipeline/rewrite");
            scene.cluster().call("DELETE", "/items-elsewhere", "");
        }
    }

    /** Row 66: of two documents with one id the later one stays, however many requests are under way. */
    @Test
    void keepsTheOrderOfDocumentsWithTheSameId() {
        String[] lines = IntStream.range(0, 3000)
                .mapToObj(n -> "{\"id\":\"%d\",\"n\":%d,\"pad\":\"%s\"}".formatted(n * 7919 % 400, n, "x".repeat(60)))
                .toArray(String[]::new);
        scene.proxy()
                .random(
                        66,
                        0.2,
                        List.of(
                                new Fault.DelayedReply(Duration.ofMillis(30)),
                                new Fault.DropAfter(),
                                new Fault.DropBefore()));
        LoadUnderTest.Outcome outcome = scene.loadOf(lines)
                .operation(Operation.INDEX, "id")
                .window(4 << 10, 8)
                .run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.OK);
        assertThat(outcome.report().counts().indexed()).isEqualTo(3000);
        int[] last = new int[400];
        IntStream.range(0, 3000).forEach(n -> last[n * 7919 % 400] = n);
        Set<Integer> seen = new HashSet<>();
        for (JsonNode hit : scene.cluster().scan("items")) {
            int id = hit.path("_id").asInt();
            assertThat(hit.at("/_source/n").asInt()).as("document %d", id).isEqualTo(last[id]);
            seen.add(id);
        }
        assertThat(seen).hasSize(400);
    }
}
