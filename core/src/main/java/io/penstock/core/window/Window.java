package io.penstock.core.window;

/**
 * Step 4a of the load path. Counts what is in flight against the window's size, and measures what each size achieves
 * for the {@link WindowLaw}.
 *
 * <p>Time is an argument and nothing blocks; not thread-safe: the load guards it with one lock.
 */
public final class Window {
    /** A size is judged over at least this long: shorter ones see single requests, not a rate. */
    private static final long SAMPLE_NANOS = 1_000_000_000L;
    /** ... and over at least this many requests for each place in the window. */
    private static final int REQUESTS_PER_PLACE = 2;
    /** With slow requests a sample ends after this long, whatever it has seen. */
    private static final long SAMPLE_NANOS_MAX = 10_000_000_000L;

    private final WindowLaw law;
    private int inFlight;
    private int waiting;
    private int generation;
    private int olderInFlight;
    private boolean measuring;
    private long sampleBegan;
    private long fullSince = -1;
    private long fullNanos;
    private long documents;
    private int requests;
    private int pushedBack;
    private int timedOut;
    private long slowestNanos;

    public Window(WindowLaw law, long nowNanos) {
        this.law = law;
        beginSample(nowNanos);
        measuring = true;
    }

    /** A place in the window: taken for one request, given back with how it ended. */
    public record Permit(int generation, long takenNanos) {}

    /** The size in force. */
    public WindowSize size() {
        return law.size();
    }

    /** Why it has that size. */
    public String reason() {
        return law.reason();
    }

    /** Requests in flight now. */
    public int inFlight() {
        return inFlight;
    }

    /** Whether a place is free. */
    public boolean hasPlace() {
        return inFlight < law.size().concurrency();
    }

    /** Somebody is waiting for a place, or no longer is; what makes a window full is that it holds somebody up. */
    public void onWaiting(int change, long nowNanos) {
        waiting += change;
        noteFullness(nowNanos);
    }

    /** Takes a place; only when {@link #hasPlace()}. */
    public Permit take(long nowNanos) {
        if (!hasPlace()) {
            throw new IllegalStateException("the window is full: " + inFlight);
        }
        inFlight++;
        noteFullness(nowNanos);
        return new Permit(generation, nowNanos);
    }

    /**
     * Gives a place back.
     *
     * @param acknowledged documents that have their end through this request
     * @return whether the size changed
     */
    public boolean end(Permit permit, Outcome outcome, long acknowledged, long nowNanos) {
        inFlight--;
        if (inFlight < 0) {
            throw new IllegalStateException("a permit was given back twice");
        }
        noteFullness(nowNanos);
        if (permit.generation() != generation) {
            olderInFlight--;
            if (!measuring && olderInFlight == 0) {
                beginSample(nowNanos);
                measuring = true;
            }
            return false;
        }
        count(permit, outcome, acknowledged, nowNanos);
        boolean pushedBackNow = outcome == Outcome.PUSHED_BACK || outcome == Outcome.TIMED_OUT;
        return (pushedBackNow || isSampleComplete(nowNanos)) && judge(nowNanos);
    }

    /** A body of this size was refused as too large. */
    public void onTooLarge(long bytes, long nowNanos) {
        law.onTooLarge(bytes);
        newGeneration(nowNanos);
    }

    private void count(Permit permit, Outcome outcome, long acknowledged, long nowNanos) {
        documents += acknowledged;
        switch (outcome) {
            case ANSWERED -> {
                requests++;
                slowestNanos = Math.max(slowestNanos, nowNanos - permit.takenNanos());
            }
            case PUSHED_BACK -> {
                requests++;
                pushedBack++;
            }
            case TIMED_OUT -> {
                requests++;
                timedOut++;
            }
            case IGNORED -> {}
        }
    }

    private boolean isSampleComplete(long nowNanos) {
        long nanos = nowNanos - sampleBegan;
        return measuring
                && (nanos >= SAMPLE_NANOS_MAX
                        || (nanos >= SAMPLE_NANOS
                                && requests >= REQUESTS_PER_PLACE * law.size().concurrency()));
    }

    private boolean judge(long nowNanos) {
        WindowSize before = law.size();
        long nanos = Math.max(1, nowNanos - sampleBegan);
        double full = Math.min(1, (fullNanos + (fullSince >= 0 ? nowNanos - fullSince : 0)) / (double) nanos);
        law.onSample(new Sample(nanos, documents, requests, pushedBack, timedOut, full, slowestNanos));
        boolean changed = !law.size().equals(before);
        if (changed) {
            newGeneration(nowNanos);
        } else {
            beginSample(nowNanos);
        }
        return changed;
    }

    /** Requests of the old size finish before the new one is measured, so that a sample never mixes the two. */
    private void newGeneration(long nowNanos) {
        generation++;
        olderInFlight = inFlight;
        measuring = olderInFlight == 0;
        beginSample(nowNanos);
    }

    private void beginSample(long nowNanos) {
        sampleBegan = nowNanos;
        documents = 0;
        requests = 0;
        pushedBack = 0;
        timedOut = 0;
        slowestNanos = 0;
        fullNanos = 0;
        fullSince = -1;
        noteFullness(nowNanos);
    }

    private void noteFullness(long nowNanos) {
        boolean full = waiting > 0 && !hasPlace();
        if (full && fullSince < 0) {
            fullSince = nowNanos;
        } else if (!full && fullSince >= 0) {
            fullNanos += nowNanos - fullSince;
            fullSince = -1;
        }
    }
}
