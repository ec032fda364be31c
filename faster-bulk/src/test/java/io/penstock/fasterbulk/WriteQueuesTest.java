package io.penstock.fasterbulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** When writes begin, which leave together, and that each does so exactly once and in its turn. */
class WriteQueuesTest {
    private static final WriteQueues.Limits GROUP =
            new WriteQueues.Limits(WriteQueues.Mode.GROUP_COMMIT, 1_000, 100, 2);
    private static final WriteQueues.Limits WINDOW = new WriteQueues.Limits(WriteQueues.Mode.WINDOW, 1_000, 100, 2);

    private final WriteQueues<String, Write> queues = new WriteQueues<>();
    private int next;

    private record Write(int number, long bytes, int items, long arrivedNanos) implements WriteQueues.Write {}

    private Write write(long bytes) {
        return new Write(next++, bytes, 1, next);
    }

    @Test
    void anIdleShardWritesAtOnce() {
        WriteQueues.Arrival<String, Write> arrival = queues.arrive("a", write(10), GROUP);
        assertThat(numbers(arrival.begin())).containsExactly(List.of(0));
        assertThat(queues.ended("a", GROUP)).isEmpty();
        assertThat(queues.size()).as("nothing is kept of it").isZero();
    }

    @Test
    void whatArrivesDuringAWriteLeavesTogetherAsTheNextOne() {
        WriteQueues.Limits one = new WriteQueues.Limits(WriteQueues.Mode.GROUP_COMMIT, 1_000, 100, 1);
        queues.arrive("a", write(10), one);
        assertThat(queues.arrive("a", write(10), one).begin()).isEmpty();
        assertThat(queues.arrive("a", write(10), one).begin()).isEmpty();
        assertThat(numbers(queues.ended("a", one))).containsExactly(List.of(1, 2));
    }

    @Test
    void aShardMayHaveSeveralWritesInFlightWhileTheNodeHasRoom() {
        assertThat(queues.arrive("a", write(10), GROUP).begin()).hasSize(1);
        assertThat(queues.arrive("a", write(10), GROUP).begin()).hasSize(1);
        assertThat(queues.arrive("a", write(10), GROUP).begin()).isEmpty();
    }

    @Test
    void anIdleShardWritesAtOnceHoweverBusyTheNodeIs() {
        queues.arrive("a", write(10), GROUP);
        queues.arrive("a", write(10), GROUP);
        assertThat(queues.arrive("b", write(10), GROUP).begin()).hasSize(1);
        assertThat(queues.arrive("c", write(10), GROUP).begin()).hasSize(1);
    }

    @Test
    void roomThatBecomesFreeGoesToTheShardThatHasWaitedLongest() {
        queues.arrive("a", write(10), GROUP);
        queues.arrive("b", write(10), GROUP);
        queues.arrive("c", write(10), GROUP);
        queues.arrive("c", write(10), GROUP); // 3
        queues.arrive("b", write(10), GROUP); // 4
        assertThat(queues.ended("a", GROUP)).as("b and c still fill the node").isEmpty();
        assertThat(numbers(queues.ended("c", GROUP))).containsExactly(List.of(3));
        assertThat(numbers(queues.ended("c", GROUP))).containsExactly(List.of(4));
    }

    /** The writes in flight may all be waiting for one fsync. */
    @Test
    void whatWaitsForABusyShardBeginsWhenAThreadIsFree() {
        queues.arrive("a", write(10), GROUP);
        queues.arrive("a", write(10), GROUP);
        queues.arrive("a", write(10), GROUP); // 2
        queues.arrive("a", write(10), GROUP); // 3
        assertThat(numbers(queues.free("a", GROUP).stream().toList())).containsExactly(List.of(2));
        assertThat(numbers(queues.free("a", GROUP).stream().toList())).containsExactly(List.of(3));
        assertThat(queues.free("a", GROUP)).isEmpty();
    }

    @Test
    void itDoesNotWhileAsManyShardsAreBusyAsThereAreProcessors() {
        queues.arrive("a", write(10), GROUP);
        queues.arrive("b", write(10), GROUP);
        queues.arrive("a", write(10), GROUP);
        assertThat(queues.free("a", GROUP)).isEmpty();
    }

    @Test
    void aGroupHasNoMoreThanTheLimits() {
        WriteQueues.Limits one = new WriteQueues.Limits(WriteQueues.Mode.GROUP_COMMIT, 1_000, 3, 1);
        queues.arrive("a", write(10), one);
        for (int i = 0; i < 4; i++) {
            queues.arrive("a", write(10), one);
        }
        assertThat(numbers(queues.ended("a", one))).containsExactly(List.of(1, 2, 3));
        queues.arrive("a", write(900), one);
        queues.arrive("a", write(900), one);
        assertThat(numbers(queues.ended("a", one))).containsExactly(List.of(4, 5));
        assertThat(numbers(queues.ended("a", one))).containsExactly(List.of(6));
    }

    @Test
    void aWindowHoldsEverythingUntilThereIsEnough() {
        WriteQueues.Arrival<String, Write> first = queues.arrive("a", write(500), WINDOW);
        assertThat(first.begin()).isEmpty();
        assertThat(first.firstToWait()).isTrue();
        WriteQueues.Arrival<String, Write> second = queues.arrive("a", write(500), WINDOW);
        assertThat(second.firstToWait()).isFalse();
        assertThat(numbers(second.begin())).containsExactly(List.of(0, 1));
    }

    /** Else nobody would look after it. */
    @Test
    void whatDoesNotFitInAFullWindowIsTheFirstOfTheNext() {
        queues.arrive("a", write(600), WINDOW);
        WriteQueues.Arrival<String, Write> second = queues.arrive("a", write(600), WINDOW);
        assertThat(numbers(second.begin())).containsExactly(List.of(0));
        assertThat(second.firstToWait()).isTrue();
    }

    @Test
    void whatDoesNotFitInAWindowThatEndsLeavesRightBehindIt() {
        queues.arrive("a", write(100), WINDOW); // came at 1
        queues.arrive("a", write(850), WINDOW); // at 2
        queues.arrive("a", write(49), WINDOW); // at 3
        assertThat(numbers(queues.overdue(1, new WriteQueues.Limits(WINDOW.mode(), 900, 100, 2))))
                .containsExactly(List.of(0), List.of(1, 2));
    }

    @Test
    void aWindowEndsWhenItsTimeHasCome() {
        queues.arrive("a", write(1), WINDOW); // came at 1
        queues.arrive("a", write(1), WINDOW); // at 2
        queues.arrive("b", write(1), WINDOW); // at 3
        assertThat(queues.overdue(0, WINDOW)).isEmpty();
        assertThat(numbers(queues.overdue(1, WINDOW))).containsExactly(List.of(0, 1));
        assertThat(queues.waiting()).isEqualTo(1);
    }

    @Test
    void whoHasWaitedTooLongBeginsBesideTheWriteBeforeIt() {
        WriteQueues.Limits one = new WriteQueues.Limits(WriteQueues.Mode.GROUP_COMMIT, 1_000, 100, 1);
        queues.arrive("a", write(10), one);
        queues.arrive("a", write(10), one);
        assertThat(numbers(queues.overdue(Long.MAX_VALUE / 2, one))).containsExactly(List.of(1));
        assertThat(queues.ended("a", one)).isEmpty();
        assertThat(queues.ended("a", one)).isEmpty();
        assertThat(queues.size()).isZero();
    }

    @Test
    void aWriteCannotEndTwice() {
        queues.arrive("a", write(10), GROUP);
        queues.ended("a", GROUP);
        assertThatThrownBy(() -> queues.ended("a", GROUP)).isInstanceOf(IllegalStateException.class);
    }

    /** Any mixture of arrivals, ends, changes of mode and time running out. */
    @RepeatedTest(300)
    void everyWriteBeginsOnceAndInItsTurn(RepetitionInfo repetition) {
        var random = new Random(repetition.getCurrentRepetition());
        WriteQueues.Limits[] limits = {GROUP, WINDOW, new WriteQueues.Limits(GROUP.mode(), 50, 2, 1)};
        Map<String, Deque<Integer>> expected = new HashMap<>();
        Deque<String> inFlight = new ArrayDeque<>();
        int writes = 200;
        while (next < writes || !inFlight.isEmpty() || queues.waiting() > 0) {
            WriteQueues.Limits now = limits[random.nextInt(limits.length)];
            List<WriteQueues.Group<String, Write>> begin;
            if (next < writes && random.nextInt(3) > 0) {
                String key = "shard-" + random.nextInt(3);
                Write write = new Write(next++, 1 + random.nextInt(60), 1 + random.nextInt(3), next);
                expected.computeIfAbsent(key, ignored -> new ArrayDeque<>()).add(write.number());
                begin = queues.arrive(key, write, now).begin();
            } else if (!inFlight.isEmpty() && random.nextInt(4) > 0) {
                begin = queues.ended(random.nextBoolean() ? inFlight.removeFirst() : inFlight.removeLast(), now);
            } else if (random.nextBoolean()) {
                begin = queues.free("shard-" + random.nextInt(3), now).stream().toList();
            } else {
                begin = queues.overdue(random.nextInt(next + 1), now);
            }
            for (WriteQueues.Group<String, Write> group : begin) {
                inFlight.add(group.key());
                assertThat(group.writes()).isNotEmpty();
                for (Write write : group.writes()) {
                    assertThat(Objects.requireNonNull(expected.get(group.key())).poll())
                            .isEqualTo(write.number());
                }
            }
        }
        assertThat(expected.values()).allMatch(Deque::isEmpty);
        assertThat(queues.size()).isZero();
    }

    private static List<List<Integer>> numbers(List<WriteQueues.Group<String, Write>> groups) {
        List<List<Integer>> numbers = new ArrayList<>();
        groups.forEach(
                group -> numbers.add(group.writes().stream().map(Write::number).toList()));
        return numbers;
    }
}
