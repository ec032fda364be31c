package io.penstock.core.window;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * Decides how large bulks are and how many are in flight, from what each size achieved.
 *
 * <p>It grows fast while acknowledged documents per second grow with it (slow start), then keeps trying a little more
 * and a little less of either, in alternating measurements, and keeps what is faster; of two sizes that do equally
 * well, the smaller. Push-back shrinks it at once, as congestion does in TCP (RFC 5681: additive probing,
 * multiplicative decrease). It never grows while it is not the limit.
 *
 * <p>No clock, no threads: time comes with the samples. Not thread-safe. The constants are explained in
 * {@code docs/window.md}.
 */
public final class WindowLaw {
    /** Slow start goes on at once when a doubling brings at least this. */
    private static final double GROWTH_PLAIN = 1.15;
    /**
     * With less, both sizes are measured again, so that neither a lucky sample before nor a merge or a collection in
     * this one ends the growth, and a server that gets faster by itself does not prolong it. Then this is enough.
     */
    private static final double GROWTH_WORTH = 1.08;
    /** A larger window must be faster by this much, or noise alone would grow it without end. */
    private static final double MORE_WORTH = 1.03;
    /** A smaller window is kept unless it is slower than this. */
    private static final double LESS_COST = 0.99;
    /** Below this share of time with a full window, the source or the network is the limit. */
    private static final double FULL_ENOUGH = 0.5;
    /** What a push-back leaves of the concurrency. */
    private static final double DECREASE = 0.7;
    /** How long the size that was pushed back is not tried again. */
    private static final long PUSH_BACK_MEMORY_NANOS = 30_000_000_000L;
    /** Requests slower than this are a quarter of the way to a timeout. */
    private static final long SLOW_REQUEST_NANOS = 30_000_000_000L;
    /** Alternations of old and new size in one trial, if they differ plainly ... */
    private static final int TRIAL_ROUNDS = 2;
    /** ... and at most. */
    private static final int TRIAL_ROUNDS_MAX = 5;
    /** What is plain. */
    private static final double PLAIN_DIFFERENCE = 0.15;

    private static final int SAMPLES_OF_REST_MAX = 30;

    private enum Phase {
        MORE_REQUESTS,
        LARGER_BULKS,
        REST,
        TRIAL
    }

    /**
     * What slow start looks at, in this order; the last two only when the first look at the larger size is not plain.
     */
    private enum Look {
        KEPT,
        LARGER,
        KEPT_AGAIN,
        LARGER_AGAIN
    }

    private enum Direction {
        LARGER_BULKS("larger bulks"),
        MORE_REQUESTS("more requests"),
        SMALLER_BULKS("smaller bulks"),
        FEWER_REQUESTS("fewer requests");

        final String words;

        Direction(String words) {
            this.words = words;
        }

        boolean grows() {
            return this == LARGER_BULKS || this == MORE_REQUESTS;
        }
    }

    private WindowLimits limits;
    private WindowSize size;
    private WindowSize kept;
    private Phase phase = Phase.MORE_REQUESTS;
    private Look look = Look.KEPT;
    private double rateOfKept;
    private final Deque<Direction> toTry = new ArrayDeque<>();
    private Direction direction = Direction.LARGER_BULKS;
    private double sumKept;
    private double sumTried;
    private int trialSamples;
    private int restLeft = 2;
    private int failedTrials;
    private int pushedBackAt = Integer.MAX_VALUE;
    private long pushBackMemoryNanos;
    private String reason = "start";

    /** Starts at {@code first}, brought within the limits. */
    public WindowLaw(WindowLimits limits, WindowSize first) {
        this.limits = limits;
        this.size = limits.clamp(first.bulkBytes(), first.concurrency());
        this.kept = size;
    }

    /** The size in force. */
    public WindowSize size() {
        return size;
    }

    /** Why it is what it is, in words for people. */
    public String reason() {
        return reason;
    }

    /** Takes what the size in force achieved and decides the next one. */
    public void onSample(Sample sample) {
        pushBackMemoryNanos = Math.max(0, pushBackMemoryNanos - sample.nanos());
        if (sample.timedOut() > 0) {
            shrink(size.bulkBytes() / 2, size.concurrency() / 2, "requests had no answer in time");
        } else if (sample.pushedBack() > 0) {
            onPushBack(sample);
        } else if (sample.slowestNanos() > SLOW_REQUEST_NANOS && size.bulkBytes() > limits.bulkBytesMin()) {
            shrink(size.bulkBytes() / 2, size.concurrency(), "requests take over 30 s");
        } else if (sample.full() < FULL_ENOUGH) {
            onNotTheLimit();
        } else {
            onFullWindow(sample.documentsPerSecond());
        }
    }

    /** A body of this size was refused as too large: no bulk reaches it again. */
    public void onTooLarge(long bytes) {
        limits = limits.withBulkBytesMax((int) Math.min(Integer.MAX_VALUE, bytes * 9 / 10));
        kept = limits.clamp(kept.bulkBytes(), kept.concurrency());
        size = limits.clamp(size.bulkBytes(), size.concurrency());
        reason = "the server refuses bodies of %,d bytes".formatted(bytes);
    }

    private void onPushBack(Sample sample) {
        String why = "%d of %d requests were pushed back".formatted(sample.pushedBack(), sample.requests());
        pushedBackAt = size.concurrency();
        pushBackMemoryNanos = PUSH_BACK_MEMORY_NANOS;
        if (phase == Phase.TRIAL && size.bytes() > kept.bytes()) {
            endTrial(why + " with " + direction.words + ", went back");
        } else if (size.concurrency() > limits.concurrencyMin()) {
            int fewer = Math.min(size.concurrency() - 1, (int) (size.concurrency() * DECREASE));
            shrink(size.bulkBytes(), fewer, why);
        } else {
            shrink(size.bulkBytes() / 2, size.concurrency(), why);
        }
    }

    private void shrink(int bulkBytes, int concurrency, String why) {
        size = limits.clamp(Math.max(1, bulkBytes), concurrency);
        kept = size;
        toTry.clear();
        rest(2);
        reason = why + ", fewer in flight";
    }

    private void onNotTheLimit() {
        if (phase == Phase.TRIAL) {
            endTrial("");
        }
        reason = "the source is slower than the cluster, no need for more";
    }

    private void onFullWindow(double rate) {
        switch (phase) {
            case MORE_REQUESTS, LARGER_BULKS -> slowStart(rate);
            case REST -> onRest();
            case TRIAL -> onTrialSample(rate);
        }
    }

    private void slowStart(double rate) {
        switch (look) {
            case KEPT -> {
                rateOfKept = rate;
                growth();
            }
            case LARGER -> {
                if (rate >= rateOfKept * GROWTH_PLAIN) {
                    grown(rate);
                } else {
                    sumKept = rateOfKept;
                    sumTried = rate;
                    size = kept;
                    look = Look.KEPT_AGAIN;
                }
            }
            case KEPT_AGAIN -> {
                sumKept += rate;
                size = larger();
                look = Look.LARGER_AGAIN;
            }
            case LARGER_AGAIN -> {
                sumTried += rate;
                if (sumTried >= sumKept * (phase == Phase.LARGER_BULKS ? MORE_WORTH : GROWTH_WORTH)) {
                    grown(sumTried / 2);
                } else {
                    rateOfKept = sumKept / 2;
                    phase = phase == Phase.MORE_REQUESTS ? Phase.LARGER_BULKS : Phase.REST;
                    growth();
                }
            }
        }
    }

    private void grown(double rate) {
        kept = size;
        rateOfKept = rate;
        growth();
    }

    /** Goes to the next larger size that there is. */
    private void growth() {
        if (phase == Phase.MORE_REQUESTS && larger().equals(kept)) {
            phase = Phase.LARGER_BULKS;
        }
        size = larger();
        look = Look.LARGER;
        if (size.equals(kept)) {
            rest(2);
            reason = "grew until more brought nothing";
        } else {
            reason = String.format(Locale.ROOT, "growing: %,.0f documents/s with %s", rateOfKept, kept);
        }
    }

    private WindowSize larger() {
        return switch (phase) {
            case MORE_REQUESTS -> limits.clamp(kept.bulkBytes(), kept.concurrency() * 2);
            case LARGER_BULKS -> limits.clamp(kept.bulkBytes() * 2, kept.concurrency());
            case REST, TRIAL -> kept;
        };
    }

    private void onRest() {
        restLeft--;
        if (restLeft <= 0) {
            beginTrial();
        }
    }

    private void beginTrial() {
        for (int i = 0; i < Direction.values().length; i++) {
            if (toTry.isEmpty()) {
                toTry.addAll(List.of(Direction.values()));
            }
            direction = toTry.poll();
            WindowSize next = sizeInDirection();
            if (!next.equals(kept) && !wasPushedBack(next)) {
                phase = Phase.TRIAL;
                trialSamples = 0;
                sumKept = 0;
                sumTried = 0;
                size = kept; // the first sample of a trial measures the kept size
                return;
            }
        }
        rest(SAMPLES_OF_REST_MAX);
    }

    private WindowSize sizeInDirection() {
        int step = Math.max(1, kept.concurrency() / 4);
        return switch (direction) {
            case LARGER_BULKS -> limits.clamp(kept.bulkBytes() / 2 * 3, kept.concurrency());
            case MORE_REQUESTS -> limits.clamp(kept.bulkBytes(), kept.concurrency() + step);
            case SMALLER_BULKS -> limits.clamp(Math.max(1, kept.bulkBytes() / 3 * 2), kept.concurrency());
            case FEWER_REQUESTS -> limits.clamp(kept.bulkBytes(), kept.concurrency() - step);
        };
    }

    private boolean wasPushedBack(WindowSize next) {
        return pushBackMemoryNanos > 0 && next.concurrency() >= pushedBackAt;
    }

    private void onTrialSample(double rate) {
        if (trialSamples % 2 == 0) {
            sumKept += rate;
            size = sizeInDirection();
        } else {
            sumTried += rate;
            size = kept;
        }
        trialSamples++;
        boolean plain = Math.abs(sumTried - sumKept) >= PLAIN_DIFFERENCE * sumKept;
        boolean pairs = trialSamples % 2 == 0;
        if (trialSamples == 2 * TRIAL_ROUNDS_MAX || (pairs && trialSamples >= 2 * TRIAL_ROUNDS && plain)) {
            judgeTrial();
        }
    }

    private void judgeTrial() {
        double ratio = sumKept == 0 ? 1 : sumTried / sumKept;
        String what = String.format(Locale.ROOT, "%s: %+.0f%% documents/s", direction.words, (ratio - 1) * 100);
        if (ratio >= (direction.grows() ? MORE_WORTH : LESS_COST)) {
            kept = sizeInDirection();
            failedTrials = 0;
            toTry.addFirst(direction);
            endTrial(what + ", kept");
        } else {
            failedTrials++;
            endTrial(what + ", not kept");
        }
    }

    private void endTrial(String why) {
        size = kept;
        // A trial costs what the worse size loses; the more of them fail, the less often one is worth it.
        rest(Math.min(SAMPLES_OF_REST_MAX, 2 + 2 * failedTrials));
        if (!why.isEmpty()) {
            reason = why;
        }
    }

    private void rest(int samples) {
        phase = Phase.REST;
        restLeft = samples;
    }
}
