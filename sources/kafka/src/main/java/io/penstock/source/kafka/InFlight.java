package io.penstock.source.kafka;

import io.penstock.core.document.Position;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Which record of the topic each position of the load is, from when it is read until it is safe in the target. A load
 * counts what it reads across all partitions of the topic, so that batches need not be cut where partitions meet.
 * Thread-safe.
 */
final class InFlight {
    private final Deque<Run> runs = new ArrayDeque<>();
    private long next;
    private long safe;

    /** Records of one partition that are read one after the other. */
    private static final class Run {
        final int partition;
        final long first;
        final long[] offsets;
        final long end;
        int taken;
        boolean closed;

        Run(int partition, long first, long[] offsets, long end) {
            this.partition = partition;
            this.first = first;
            this.offsets = offsets;
            this.end = end;
        }
    }

    /** A record and where it is stored. */
    record Stored(int partition, long offset) {}

    /**
     * The next records come from this partition; those before that were not taken are not read by us.
     *
     * @param offsets of the records
     * @param end where the partition goes on behind them, which may be further than one behind the last
     */
    synchronized void begin(int partition, long[] offsets, long end) {
        closeLast();
        runs.addLast(new Run(partition, next, offsets, end));
    }

    /** The next record of the run is read; gives its position. */
    synchronized Position take() {
        runs.getLast().taken++;
        return new Position(next++, 0);
    }

    /** No more of the run that was begun last is read. */
    synchronized void closeLast() {
        if (!runs.isEmpty()) {
            runs.getLast().closed = true;
        }
    }

    /** Where the next record will be. */
    synchronized Position next() {
        return new Position(next, 0);
    }

    /** Everything before this position is safe. */
    synchronized void safe(Position position) {
        safe = Math.max(safe, position.offset());
        notifyAll();
    }

    /** Waits until everything read so far is safe. False if it takes longer than that. */
    synchronized boolean awaitSafe(Duration limit) throws InterruptedException {
        long until = System.nanoTime() + limit.toNanos();
        for (long left = limit.toMillis(); safe < next && left > 0; left = (until - System.nanoTime()) / 1_000_000) {
            wait(left);
        }
        return safe >= next;
    }

    /** By partition, where a reader that comes after us goes on; only of those where that has changed. */
    synchronized Map<Integer, Long> newlySafe() {
        var moved = new HashMap<Integer, Long>();
        while (!runs.isEmpty()) {
            Run run = runs.getFirst();
            int done = (int) Math.min(run.taken, safe - run.first);
            boolean whole = done == run.offsets.length;
            if (whole) {
                moved.put(run.partition, run.end);
            } else if (done > 0) {
                moved.put(run.partition, run.offsets[done - 1] + 1);
            }
            if (!whole && !(run.closed && done == run.taken)) {
                break;
            }
            runs.removeFirst();
        }
        return moved;
    }

    /** The record at a position that is not yet safe. */
    synchronized Optional<Stored> at(Position position) {
        for (Run run : runs) {
            long index = position.offset() - run.first;
            if (index >= 0 && index < run.taken) {
                return Optional.of(new Stored(run.partition, run.offsets[(int) index]));
            }
        }
        return Optional.empty();
    }
}
