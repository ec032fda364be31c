package io.penstock.job;

import io.penstock.core.fate.Counts;
import io.penstock.core.source.Source;
import java.util.Optional;
import java.util.function.Function;

/**
 * Follows a source that is written to while it is copied: each time the documents changed since the time before, and a
 * few more, as the bound itself is looked at again. Versions keep what is there already. What was deleted in the source
 * is not found this way.
 */
final class CatchingUp {
    private static final long SMALL = 1_000;
    private static final int ROUNDS_MAX = 10;

    private final CatchUp source;
    private final Function<Source, Counts> load;
    private final Job.JobListener listener;
    private Optional<String> since;
    private Counts counts = Counts.NONE;

    /**
     * @param since value of the field when the copy began
     * @param load loads a source to its end
     */
    CatchingUp(CatchUp source, Optional<String> since, Function<Source, Counts> load, Job.JobListener listener) {
        this.source = source;
        this.since = since;
        this.load = load;
        this.listener = listener;
    }

    /** What it has done so far. */
    Counts counts() {
        return counts;
    }

    /** Until what has changed meanwhile is little, or does not become less. */
    void untilSmall() {
        long before = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS_MAX; round++) {
            long changed = once();
            if (changed <= SMALL || changed >= before) {
                return;
            }
            before = changed;
        }
    }

    /** One time; gives the number of documents looked at. */
    long once() {
        Optional<String> next = source.newest();
        Counts done = load.apply(source.since(since));
        counts = counts.plus(done);
        since = next;
        listener.onStep("caught up with %,d documents that changed meanwhile".formatted(done.indexed()));
        return done.read();
    }
}
