package io.penstock.job;

import io.penstock.core.event.LoadEvent;
import io.penstock.core.source.LiveSource;
import io.penstock.core.time.Clock;
import io.penstock.core.time.Threads;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Beside a load of a live source: says how far it is behind, and brings an index that follows it from load settings to
 * serving while the load goes on: settings back and replicas as soon as it has come near the end, then the alias when
 * it has been current for a while.
 */
final class Following implements AutoCloseable {
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final LivePlan plan;
    private final Steps steps;
    private final Job.JobListener listener;
    private final Clock clock;
    private final LongSupplier underWay;
    private final Thread thread;
    private String trouble = "";

    /** What is to be done, each once and in this order. Both give whether the load may go on. */
    interface Steps {
        /** Whether there is anything to bring up. */
        boolean wanted();

        boolean serve();

        boolean cutOver();
    }

    /** @param underWay documents that are read and have no end yet */
    Following(LivePlan plan, Steps steps, LongSupplier underWay, Job.JobListener listener, Clock clock) {
        this.plan = plan;
        this.steps = steps;
        this.underWay = underWay;
        this.listener = listener;
        this.clock = clock;
        this.thread = Thread.ofVirtual().name("following").start(this::run);
    }

    private void run() {
        try {
            if (steps.wanted()) {
                awaitCurrent(Duration.ZERO);
                if (!steps.serve()) {
                    return;
                }
                awaitCurrent(plan.cutOver().time());
                if (!steps.cutOver()) {
                    return;
                }
            }
            while (true) {
                look();
            }
        } catch (InterruptedException e) {
            // the load has ended
        }
    }

    /** Until the load has been no further behind than it may be, for so long. */
    private void awaitCurrent(Duration time) throws InterruptedException {
        long since = clock.nanos();
        boolean current = false;
        while (!current || clock.nanos() - since < time.toNanos()) {
            boolean was = current;
            current = look() <= plan.cutOver().lag();
            since = was && current ? since : clock.nanos();
        }
    }

    private long look() throws InterruptedException {
        clock.sleep(LOOK);
        LiveSource.Lag lag = plan.source().lag();
        String now = lag.trouble().orElse("");
        if (!now.isEmpty() && trouble.isEmpty()) {
            listener.onWarning(now + "; waiting for it");
        }
        trouble = now;
        if (lag.equals(LiveSource.Lag.UNKNOWN) || !now.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long behind = lag.records() + underWay.getAsLong();
        listener.on(new LoadEvent.Behind(behind, lag.age()));
        return behind;
    }

    /** The load has ended; waits for a step under way to notice. */
    @Override
    public void close() {
        thread.interrupt();
        Threads.joinUninterrupted(thread);
    }
}
