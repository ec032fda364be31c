package io.penstock.core.load;

import io.penstock.core.checkpoint.Checkpoint;
import io.penstock.core.checkpoint.DurabilityBarrier;
import io.penstock.core.checkpoint.Ledger;
import io.penstock.core.delivery.StopReason;
import io.penstock.core.event.LoadEvent;
import io.penstock.core.state.StateException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Steps 6 and 7 of the load path, on one thread: makes what was acknowledged safe, then writes down how far that is. In
 * this order: marks taken, dead letters synced, server made durable, checkpoint written.
 */
final class CheckpointLoop {
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(5);

    private final LoadPlan plan;
    private final Ledger ledger;
    private final StopSignal stop;
    private long writtenRevision;
    private long failingSince;
    private boolean failing;
    private final Object rest = new Object();
    private @Nullable Thread resting;
    private volatile boolean ended;

    CheckpointLoop(LoadPlan plan, Ledger ledger, StopSignal stop) {
        this.plan = plan;
        this.ledger = ledger;
        this.stop = stop;
    }

    /** Writes a checkpoint now and then, until the load ends. */
    void run() throws InterruptedException {
        while (!ended) {
            rest(failing ? PAUSE_AFTER_FAILURE : plan.barrier().interval());
            if (!ended) {
                checkpoint(false);
            }
        }
    }

    private void rest(Duration duration) throws InterruptedException {
        synchronized (rest) {
            if (ended) {
                return;
            }
            resting = Thread.currentThread();
        }
        try {
            plan.clock().sleep(duration);
        } catch (InterruptedException e) {
            if (!ended) {
                throw e;
            }
        } finally {
            synchronized (rest) {
                resting = null;
            }
        }
    }

    /** No more in the background, but for one under way; {@link #last} follows. */
    void end() {
        synchronized (rest) {
            ended = true;
            if (resting != null) {
                resting.interrupt(); // only its rest: an interrupt closes the files that a checkpoint writes
            }
        }
    }

    /** Writes the last checkpoint of the load. */
    void last() {
        if (failing && stop.stops().stream().anyMatch(known -> known.reason() == StopReason.LOCAL_STATE)) {
            return;
        }
        checkpoint(true);
        if (failing) {
            stop.stop(StopReason.LOCAL_STATE, "the last checkpoint was not written");
        }
    }

    /**
     * One checkpoint.
     *
     * @param last whether there will be no other; one in the background is cut off when a stopped load has waited long
     *     enough, and proves nothing then
     */
    private synchronized void checkpoint(boolean last) {
        Ledger.Snapshot snapshot = ledger.snapshot();
        if (snapshot.revision() == writtenRevision) {
            return;
        }
        try {
            plan.deadLetters().sync();
            if (!isDurable(last)) {
                return;
            }
            var checkpoint = new Checkpoint(plan.start().facts(), snapshot.marks(), snapshot.counts());
            plan.checkpoints().ifPresent(keeper -> keeper.accept(checkpoint));
            writtenRevision = snapshot.revision();
            failing = false;
            plan.listener().on(new LoadEvent.Checkpointed(snapshot.counts()));
        } catch (StateException e) {
            onStateException(e, last);
        }
    }

    /** If not, the checkpoint stays where it is, and what is behind it is sent again by a later run. */
    private boolean isDurable(boolean last) {
        switch (plan.barrier().makeDurable()) {
            case DurabilityBarrier.Durability.Safe safe -> {
                return true;
            }
            case DurabilityBarrier.Durability.NotYet notYet -> {
                if (last || !ended) {
                    plan.listener().on(new LoadEvent.CheckpointDelayed(notYet.why()));
                }
                if (last) {
                    stop.stop(
                            StopReason.TARGET_UNUSABLE,
                            "the last documents are not yet safe on the server's disk: " + notYet.why());
                }
            }
            case DurabilityBarrier.Durability.Lost lost -> stop.stop(StopReason.WRITES_LOST, lost.why());
        }
        return false;
    }

    private void onStateException(StateException e, boolean last) {
        long now = plan.clock().nanos();
        if (!failing) {
            failing = true;
            failingSince = now;
        }
        String message = String.valueOf(e.getMessage());
        plan.listener().on(new LoadEvent.CheckpointDelayed(message));
        boolean mayPass = e.reason() == StateException.Reason.NOT_WRITTEN
                && now - failingSince < plan.stateRetry().toNanos();
        if (!mayPass || last) {
            stop.stop(StopReason.LOCAL_STATE, message);
        }
    }
}
