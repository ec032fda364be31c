package io.penstock.fasterbulk;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntPredicate;

/**
 * Which shard of an index the next bulk goes to: of a few that take turns, the one with the fewest bulks on their way,
 * so that a slow shard gets fewer. Only a few at a time, because bulks can only be joined where they meet. Thread-safe.
 */
final class ShardChoice {
    /** The bulk goes where the server sends it. */
    static final int NONE = -1;
    /** Shards in use at a time. */
    private static final int TOGETHER = 4;
    /** How long they are, before the next few take their turn. */
    private static final long TURN_NANOS = 200_000_000L;

    private final AtomicIntegerArray onTheirWay;
    private final AtomicInteger bulks = new AtomicInteger();
    private final AtomicInteger next = new AtomicInteger();

    ShardChoice(int shards) {
        this.onTheirWay = new AtomicIntegerArray(shards);
    }

    int shards() {
        return onTheirWay.length();
    }

    /**
     * Chooses a shard for a bulk, and counts it there until {@link #done}.
     *
     * @param usable whether a shard can take writes now
     * @param alsoAlone whether one shard is better even for a bulk that has the index to itself
     * @return its number, or {@link #NONE}
     */
    int take(long nowNanos, IntPredicate usable, boolean alsoAlone) {
        if (bulks.getAndIncrement() == 0 && !alsoAlone) {
            return NONE;
        }
        int shards = onTheirWay.length();
        int together = Math.min(TOGETHER, shards);
        int first = (int) Math.floorMod(nowNanos / TURN_NANOS * together, (long) shards);
        int turn = Math.floorMod(next.getAndIncrement(), together);
        int best = NONE;
        for (int i = 0; i < shards && (best == NONE || i < together); i++) {
            int offset = i < together ? (turn + i) % together : i;
            int shard = (first + offset) % shards;
            if (usable.test(shard) && (best == NONE || onTheirWay.get(shard) < onTheirWay.get(best))) {
                best = shard;
            }
        }
        if (best != NONE) {
            onTheirWay.incrementAndGet(best);
        }
        return best;
    }

    /** The bulk has been answered. */
    void done(int shard) {
        bulks.decrementAndGet();
        if (shard != NONE) {
            onTheirWay.decrementAndGet(shard);
        }
    }
}
