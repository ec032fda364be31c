package io.penstock.core.load;

import io.penstock.core.delivery.StopReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Asks every loop of a load to come to its end, and remembers why. Thread-safe. */
public final class StopSignal {
    /** One reason to stop. */
    public record Stop(StopReason reason, String message) {}

    private final List<Stop> stops = new ArrayList<>();
    private final CountDownLatch requested = new CountDownLatch(1);
    private volatile Runnable wakeUp = () -> {};

    /** Stops the load; the first call decides, later ones only add their reason. */
    public void stop(StopReason reason, String message) {
        synchronized (this) {
            Stop stop = new Stop(reason, message);
            if (stops.stream().noneMatch(known -> known.reason() == reason)) {
                stops.add(stop);
            }
        }
        requested.countDown();
        wakeUp.run();
    }

    /** Whether anybody asked. */
    public boolean isStopped() {
        return requested.getCount() == 0;
    }

    /** Every reason given, one of each kind, in order. */
    public synchronized List<Stop> stops() {
        return List.copyOf(stops);
    }

    /** What is to run when somebody asks, to wake a thread that waits. */
    void onStop(Runnable action) {
        wakeUp = action;
        if (isStopped()) {
            action.run();
        }
    }
}
