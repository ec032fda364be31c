package io.penstock.core.load;

import io.penstock.core.batch.Batch;
import io.penstock.core.event.LoadEvent;
import io.penstock.core.event.LoadListener;
import io.penstock.core.time.Clock;
import io.penstock.core.window.Outcome;
import io.penstock.core.window.Window;
import io.penstock.core.window.WindowSize;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The window behind one lock, for the threads that wait for a place in it. Thread-safe. */
final class SharedWindow {
    private final Window window;
    private final Clock clock;
    private final LoadListener listener;
    private final ReentrantLock lock = new ReentrantLock(true);
    private final Condition changed = lock.newCondition();
    private volatile int bulkBytes;
    private final long beganNanos;
    private volatile long lastSuccessNanos;
    private @Nullable Batch lastFailed;
    private long lastFailureNanos;
    private long failureBeforeNanos;

    SharedWindow(Window window, Clock clock, LoadListener listener) {
        this.window = window;
        this.clock = clock;
        this.listener = listener;
        this.bulkBytes = window.size().bulkBytes();
        this.beganNanos = clock.nanos();
        this.lastSuccessNanos = beganNanos;
        this.lastFailureNanos = beganNanos;
        this.failureBeforeNanos = beganNanos;
    }

    /** How large the next batch should become. */
    int bulkBytes() {
        return bulkBytes;
    }

    /**
     * When a document was last acknowledged; the beginning of the load if requests of other batches have failed since,
     * which looks like an outage and not like the fault of one document.
     */
    long lastSuccessNanos(Batch asking) {
        lock.lock();
        try {
            long ofOthers = asking.equals(lastFailed) ? failureBeforeNanos : lastFailureNanos;
            return ofOthers - lastSuccessNanos > 0 ? beganNanos : lastSuccessNanos;
        } finally {
            lock.unlock();
        }
    }

    /** A request of several documents of this batch had no answer that says anything of them. */
    void failed(Batch batch) {
        lock.lock();
        try {
            if (!batch.equals(lastFailed)) {
                failureBeforeNanos = lastFailureNanos;
                lastFailed = batch;
            }
            lastFailureNanos = clock.nanos();
        } finally {
            lock.unlock();
        }
    }

    Window.Permit take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (!window.hasPlace()) {
                window.onWaiting(1, clock.nanos());
                try {
                    while (!window.hasPlace()) {
                        changed.await();
                    }
                } finally {
                    window.onWaiting(-1, clock.nanos());
                }
            }
            return window.take(clock.nanos());
        } finally {
            lock.unlock();
        }
    }

    void end(Window.Permit permit, Outcome outcome, int acknowledged, long tooLargeBytes) {
        WindowSize before;
        WindowSize after;
        String reason;
        lock.lock();
        try {
            long now = clock.nanos();
            before = window.size();
            window.end(permit, outcome, acknowledged, now);
            if (tooLargeBytes > 0) {
                window.onTooLarge(tooLargeBytes, now);
            }
            if (acknowledged > 0) {
                lastSuccessNanos = now;
            }
            after = window.size();
            reason = window.reason();
            bulkBytes = after.bulkBytes();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (!after.equals(before)) {
            listener.on(new LoadEvent.WindowMoved(after, reason));
        }
    }

    WindowSize size() {
        lock.lock();
        try {
            return window.size();
        } finally {
            lock.unlock();
        }
    }

    String reason() {
        lock.lock();
        try {
            return window.reason();
        } finally {
            lock.unlock();
        }
    }
}
