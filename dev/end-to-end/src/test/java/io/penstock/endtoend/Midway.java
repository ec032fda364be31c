package io.penstock.endtoend;

import io.penstock.core.event.LoadEvent;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Does something to the cluster while a load is under way: when enough documents are acknowledged, on the thread that
 * brought the last of them, which goes on only when it is done.
 */
final class Midway implements Consumer<LoadEvent> {
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicBoolean done = new AtomicBoolean();
    private final long after;
    private final Runnable action;

    private Midway(long after, Runnable action) {
        this.after = after;
        this.action = action;
    }

    static Midway after(long documents, Runnable action) {
        return new Midway(documents, action);
    }

    @Override
    public void accept(LoadEvent event) {
        if (event instanceof LoadEvent.RequestEnded ended
                && acknowledged.addAndGet(ended.acknowledged()) >= after
                && done.compareAndSet(false, true)) {
            action.run();
        }
    }

    boolean isDone() {
        return done.get();
    }
}
