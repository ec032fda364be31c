package io.penstock.endtoend;

import io.penstock.core.event.LoadEvent;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Does something to the cluster while a load is under way: when enough documents are acknowledged, on the thread that
 * brought the last of them. No request is sent until it is done, so that the load cannot end meanwhile.
 */
final class Midway implements Consumer<LoadEvent> {
    private final Lock turn = new ReentrantLock();
    private final long after;
    private final Runnable action;
    private long acknowledged;
    private volatile boolean done;

    private Midway(long after, Runnable action) {
        this.after = after;
        this.action = action;
    }

    static Midway after(long documents, Runnable action) {
        return new Midway(documents, action);
    }

    @Override
    public void accept(LoadEvent event) {
        turn.lock();
        try {
            if (event instanceof LoadEvent.RequestEnded ended) {
                acknowledged += ended.acknowledged();
            }
            if (!done && acknowledged >= after) {
                done = true;
                action.run();
            }
        } finally {
            turn.unlock();
        }
    }

    boolean isDone() {
        return done;
    }
}
