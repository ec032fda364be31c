package io.penstock.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.event.LoadEvent;
import io.penstock.core.window.Outcome;
import io.penstock.job.ExitCode;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.proxy.Fault;
import io.penstock.testkit.proxy.Fault.HostileJson;
import io.penstock.testkit.proxy.Fault.Pass;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers that leave open whether the server did what was asked: they never count, and what was sent is sent again. */
@RealNode
class AmbiguousAnswersIT {
    private static final Duration DEADLINE = Duration.ofSeconds(2);
    private static final Duration GRACE = Duration.ofSeconds(1);

    @TempDir
    Path folder;

    private Scene scene;

    @BeforeEach
    void open(RealCluster cluster) {
        scene = new Scene(cluster, folder, "ambiguous");
    }

    @AfterEach
    void close() {
        scene.close();
    }

    static Stream<Arguments> ambiguous() {
        return Stream.of(
                Arguments.of("row 19: reset before the request arrived", new Fault.DropBefore()),
                Arguments.of("row 20: reset after the server applied it", new Fault.DropAfter(Fault.Cut.RESET)),
                Arguments.of("row 20: closed after the server applied it", new Fault.DropAfter()),
                Arguments.of("row 25: truncated reply with a length", new Fault.TruncatedReply()),
                Arguments.of("row 26: truncated reply without a length", new Fault.TruncatedCloseDelimited()),
                Arguments.of("row 27: request shortened on its way", new Fault.ShortRequest()),
                Arguments.of("row 34: gateway 500, not applied", Fault.Status.notApplied(500)),
                Arguments.of("row 34: gateway 502, applied", Fault.Status.applied(502)),
                Arguments.of("row 34: gateway 503, not applied", Fault.Status.notApplied(503)),
                Arguments.of("row 34: gateway 504, applied", Fault.Status.applied(504)),
                Arguments.of("row 45: fewer items than sent", new Fault.FewerItems()),
                Arguments.of("row 46: more items than sent", new Fault.MoreItems()),
                Arguments.of("row 47: items in another order", new Fault.SwapItems()),
                Arguments.of("row 47: an item repeated", new Fault.DuplicateItem()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ambiguous")
    void isSentAgainAndLeavesOneCopyOfEachDocument(String row, Fault fault) {
        scene.proxy().script(new Pass(), fault, fault, new Pass(), fault);
        LoadUnderTest.Outcome outcome = scene.load().run();
        scene.ledger().provesAllIndexed(outcome);
        scene.ledger().provesAcknowledgedAreThere(scene.proxy().journal());
        assertThat(outcome.report().counts().retried()).isPositive();
    }

    static Stream<Arguments> silent() {
        return Stream.of(
                Arguments.of("row 21: no answer, applied", new Fault.Hang()),
                Arguments.of("row 21: no answer, not applied", new Fault.HangBefore()),
                Arguments.of("row 23: an answer of one byte per second", new Fault.SlowReply(1)));
    }

    /** No request may outlive its deadline, also while bytes arrive. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("silent")
    void endsAtItsDeadlineAndIsSentAgain(String row, Fault fault) {
        scene.proxy().script(new Pass(), fault, fault);
        LoadUnderTest.Outcome outcome = scene.load().requestDeadline(DEADLINE).run();
        scene.ledger().provesAllIndexed(outcome);
        assertThat(outcome.events(LoadEvent.RequestEnded.class))
                .allSatisfy(ended -> assertThat(Duration.ofNanos(ended.nanos())).isLessThan(DEADLINE.plus(GRACE)))
                .filteredOn(ended -> ended.outcome() == Outcome.TIMED_OUT)
                .hasSize(2);
    }

    /** Row 38: a server may close a connection that it kept, just when the next request is on its way. */
    @Test
    void losesNothingWhenConnectionsAreClosedBetweenRequests() {
        scene.proxy().always(new Fault.CloseIdle(Duration.ZERO));
        LoadUnderTest.Outcome outcome = scene.load().run();
        scene.ledger().provesAllIndexed(outcome);
        assertThat(outcome.report().messages()).isEmpty();
    }

    /** Rows 45 and 50: what cannot be read three times in a row is not waited for; nothing of it counts. */
    @Test
    void stopsWhenEveryAnswerHasFewerItemsAndResumes() {
        scene.proxy().always(new Fault.FewerItems());
        LoadUnderTest load = scene.load();
        LoadUnderTest.Outcome stopped = load.run();
        assertThat(stopped.report().exit()).isEqualTo(ExitCode.BUG);
        assertThat(stopped.messages()).contains("make no sense").contains("items for");
        assertThat(stopped.report().counts().indexed()).isZero();
        scene.ledger().provesNothingFalse(stopped, scene.proxy().journal());

        scene.proxy().heal();
        scene.ledger().provesAllIndexed(load.run());
    }

    /** Row 50: an answer made to hurt whoever reads it. */
    @ParameterizedTest
    @EnumSource(HostileJson.Kind.class)
    void stopsAtHostileAnswersWithBoundedMemoryAndResumes(HostileJson.Kind kind) {
        long memoryBefore = usedHeap();
        scene.proxy().always(new HostileJson(kind));
        LoadUnderTest load = scene.load().window(16 << 10, 1);
        LoadUnderTest.Outcome stopped = load.run();
        assertThat(stopped.report().exit()).isEqualTo(ExitCode.BUG);
        assertThat(stopped.report().counts().indexed()).isZero();
        assertThat(stopped.took()).isLessThan(Duration.ofSeconds(20));
        assertThat(usedHeap() - memoryBefore).isLessThan(64L << 20);

        scene.proxy().heal();
        scene.ledger().provesAllIndexed(load.run());
    }

    /** Row 50: whoever would read it to its end never comes to the end; the deadline is not what ends it. */
    @Test
    void hangsUpOnAnAnswerWithoutEnd() {
        scene.proxy().script(new Pass(), new HostileJson(HostileJson.Kind.PADDING, Long.MAX_VALUE));
        LoadUnderTest.Outcome outcome = scene.load().window(16 << 10, 1).run();
        scene.ledger().provesAllIndexed(outcome);
        assertThat(outcome.events(LoadEvent.RequestEnded.class))
                .extracting(LoadEvent.RequestEnded::outcome)
                .contains(Outcome.IGNORED)
                .doesNotContain(Outcome.TIMED_OUT);
    }

    /** Row 50, from the other side: one such answer is no reason to stop. */
    @Test
    void goesOnAfterOneHostileAnswerOfEachKind() {
        scene.proxy()
                .script(Arrays.stream(HostileJson.Kind.values())
                        .map(kind -> new HostileJson(kind, 20L << 20))
                        .toList());
        scene.ledger().provesAllIndexed(scene.load().window(16 << 10, 1).run());
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
