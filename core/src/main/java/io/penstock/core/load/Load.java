package io.penstock.core.load;

import io.penstock.core.batch.Batch;
import io.penstock.core.batch.KeyGate;
import io.penstock.core.checkpoint.Ledger;
import io.penstock.core.delivery.StopReason;
import io.penstock.core.event.LoadEvent;
import io.penstock.core.source.SourceException;
import io.penstock.core.state.StateException;
import io.penstock.core.time.Threads;
import io.penstock.core.window.Window;
import io.penstock.core.window.WindowLaw;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One load: starts the loops, waits for them, and says how it ended. {@link #run} is called once; {@link #stop} may
 * come from any thread.
 */
public final class Load {
    private static final Duration POLL = Duration.ofMillis(10);

    private final LoadPlan plan;
    private final StopSignal stop = new StopSignal();
    private final KeyGate gate = new KeyGate();
    private final Ledger ledger;
    private final SharedWindow window;
    private final SettlerLoop settler;
    private final CheckpointLoop checkpoints;
    private final DeliveryLoop delivery;
    private final Set<Thread> deliveries = ConcurrentHashMap.newKeySet();

    public Load(LoadPlan plan) {
        this.plan = plan;
        this.ledger = new Ledger(
                plan.source().partitions(), plan.start().marks(), plan.start().counts());
        var law = new WindowLaw(plan.limits(), plan.firstSize());
        this.window = new SharedWindow(new Window(law, plan.clock().nanos()), plan.clock(), plan.listener());
        this.settler = new SettlerLoop(plan, ledger, gate, stop);
        this.checkpoints = new CheckpointLoop(plan, ledger, stop);
        this.delivery = new DeliveryLoop(plan, window, stop, settler::accept);
    }

    /**
     * Comes to an end early: reading stops, requests in flight finish within the drain time, a checkpoint is written.
     */
    public void stop(StopReason reason, String message) {
        stop.stop(reason, message);
    }

    /** Loads the source to its end, or until something stops it. Always returns; every end is a value. */
    public LoadResult run() {
        long began = plan.clock().nanos();
        Thread settling = Thread.ofPlatform().name("settler").start(() -> guarded(settler::run));
        Thread checkpointing = Thread.ofVirtual().name("checkpoints").start(() -> guarded(checkpoints::run));
        Thread reading = Thread.ofPlatform().name("reader").start(() -> guarded(this::read));
        stop.onStop(reading::interrupt);
        Threads.joinUninterrupted(reading);
        awaitDeliveries();
        settler.end();
        Threads.joinUninterrupted(settling);
        long ended = plan.clock().nanos();
        checkpoints.end();
        awaitCheckpoint(checkpointing, ended);
        awaitCheckpoint(Thread.ofVirtual().name("checkpoints").start(() -> guarded(checkpoints::last)), ended);
        closeDeadLetters();
        boolean complete = ledger.marks().stream().allMatch(mark -> mark.done());
        return new LoadResult(ledger.settled(), complete, stop.stops(), window.size(), window.reason(), ended - began);
    }

    private void read() throws InterruptedException {
        try {
            new ReaderLoop(plan, window, ledger, gate, stop, this::deliver).run();
        } catch (SourceException e) {
            stopAfterWhatWasRead(e);
        }
    }

    /** A broken source stops the load only when everything read before the break has its end. */
    private void stopAfterWhatWasRead(SourceException e) throws InterruptedException {
        if (stop.isStopped()) {
            return; // being stopped can close the file under the reader
        }
        while (!deliveries.isEmpty() && !stop.isStopped()) {
            plan.clock().sleep(POLL);
        }
        stop.stop(StopReason.SOURCE, String.valueOf(e.getMessage()));
    }

    private void deliver(Batch batch) {
        Thread thread = Thread.ofVirtual().name("delivery").unstarted(() -> {
            try {
                guarded(() -> delivery.run(batch));
            } finally {
                deliveries.remove(Thread.currentThread());
            }
        });
        deliveries.add(thread);
        thread.start();
    }

    /** Without a stop, as long as it takes; with one, as long as the drain time allows. */
    private void awaitDeliveries() {
        boolean draining = false;
        long drainUntil = 0;
        while (!deliveries.isEmpty()) {
            if (stop.isStopped() && !draining) {
                plan.listener().on(new LoadEvent.Draining(stop.stops().get(0).message()));
                draining = true;
                drainUntil = plan.clock().nanos() + plan.drain().toNanos();
            }
            if (draining && plan.clock().nanos() - drainUntil > 0) {
                deliveries.forEach(Thread::interrupt);
            }
            try {
                plan.clock().sleep(POLL);
            } catch (InterruptedException e) {
                stop.stop(StopReason.INTERRUPTED, "interrupted");
            }
        }
    }

    /** As long as it takes; of a load that was stopped, no longer than what is in flight may take. */
    private void awaitCheckpoint(Thread checkpoint, long sinceNanos) {
        if (stop.isStopped()) {
            try {
                checkpoint.join(plan.drain().minusNanos(plan.clock().nanos() - sinceNanos));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            checkpoint.interrupt();
        }
        Threads.joinUninterrupted(checkpoint);
    }

    private void closeDeadLetters() {
        try {
            plan.deadLetters().close();
        } catch (StateException e) {
            stop.stop(StopReason.LOCAL_STATE, String.valueOf(e.getMessage()));
        }
    }

    private void guarded(Loop loop) {
        try {
            loop.run();
        } catch (InterruptedException e) {
            // Somebody stopped the load, and the stop signal knows why.
        } catch (Throwable e) {
            DeliveryLoop.failed(e, plan, stop);
        }
    }

    @FunctionalInterface
    private interface Loop {
        void run() throws InterruptedException;
    }
}
