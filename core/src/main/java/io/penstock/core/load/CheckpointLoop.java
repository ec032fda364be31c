package io.penstock.core.load;

import io.penstock.core.checkpoint.Checkpoint;
import io.penstock.core.checkpoint.DurabilityBarrier;
import io.penstock.core.checkpoint.Ledger;
import io.penstock.core.delivery.StopReason;
import io.penstock.core.event.LoadEvent;
import io.penstock.core.state.StateException;
import java.time.Duration;

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
    private volatile boolean ended;

    CheckpointLoop(LoadPlan plan, Ledger ledger, StopSignal stop) {
        this.plan = plan;
        this.ledger = ledger;
        this.stop = stop;
    }

    /** Writes a checkpoint now and then, until the load ends. */
    void run() throws InterruptedException {
        while (!ended) {
            plan.clock().sleep(failing ? PAUSE_AFTER_FAILURE : plan.barrier().interval());
            if (!ended) {
                checkpoint(false);
            }
        }
    }

    /** No more in the background; {@link #last} follows. */
    void end() {
        ended = true;
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
     * @param last whether there will be no other; one in the background may be cut off when the load ends, and proves
     *     nothing then
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
            plan.checkpoints().ifPresent(store -> store.write(checkpoint));
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
