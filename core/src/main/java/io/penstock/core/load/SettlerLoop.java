package io.penstock.core.load;

import io.penstock.core.batch.Batch;
import io.penstock.core.batch.KeyGate;
import io.penstock.core.checkpoint.Ledger;
import io.penstock.core.deadletter.DeadLetter;
import io.penstock.core.delivery.Rejection;
import io.penstock.core.delivery.Settlement;
import io.penstock.core.delivery.StopReason;
import io.penstock.core.document.BadDocument;
import io.penstock.core.event.LoadEvent;
import io.penstock.core.source.Partition;
import io.penstock.core.source.Source;
import io.penstock.core.state.StateException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Steps 5 and 8 of the load path, on one thread: writes the dead letters of a settled batch, tells the ledger, lets the
 * ids go and returns the memory. A batch whose dead letters cannot be written stays open, so no checkpoint passes it.
 */
final class SettlerLoop {
    private final LoadPlan plan;
    private final Ledger ledger;
    private final KeyGate gate;
    private final StopSignal stop;
    private final List<Partition> partitions;
    private final BlockingQueue<Optional<Settlement>> settlements = new LinkedBlockingQueue<>();
    private boolean refusing;

    SettlerLoop(LoadPlan plan, Ledger ledger, KeyGate gate, StopSignal stop) {
        this.plan = plan;
        this.ledger = ledger;
        this.gate = gate;
        this.stop = stop;
        this.partitions = plan.source().partitions();
    }

    /** Takes a settled batch from the thread that delivered it. The queue is bounded by the memory budget. */
    void accept(Settlement settlement) {
        settlements.add(Optional.of(settlement));
    }

    /** Nothing more will come. */
    void end() {
        settlements.add(Optional.empty());
    }

    void run() throws InterruptedException {
        for (var next = settlements.take(); next.isPresent(); next = settlements.take()) {
            settle(next.get());
        }
    }

    private void settle(Settlement settlement) {
        if (refusing) {
            return;
        }
        Batch batch = settlement.batch();
        List<Rejected> rejected = rejected(settlement);
        Optional<String> limit = overLimit(settlement, rejected);
        if (limit.isPresent()) {
            refusing = true;
            stop.stop(StopReason.TOO_MANY_REJECTS, limit.get());
            return;
        }
        try {
            for (Rejected document : rejected) {
                plan.deadLetters().write(document.letter());
                DeadLetter letter = document.letter();
                plan.listener()
                        .on(new LoadEvent.DeadLettered(
                                letter.partition(), letter.position(), letter.type(), letter.reason()));
            }
        } catch (StateException e) {
            refusing = true;
            stop.stop(StopReason.LOCAL_STATE, String.valueOf(e.getMessage()));
            return;
        }
        ledger.settle(batch, settlement.counts());
        if (batch.named() > 0) {
            gate.leave(batch.gatedIds());
        }
        batch.release();
        plan.listener().on(new LoadEvent.BatchSettled(ledger.settled()));
    }

    private Optional<String> overLimit(Settlement settlement, List<Rejected> rejected) {
        if (rejected.isEmpty()) {
            plan.rejectLimit().onAccepted(settlement.batch().documentCount());
            return Optional.empty();
        }
        int accepted = settlement.batch().documentCount() - rejected.size();
        int nextItem = 0;
        for (Rejected document : rejected) {
            int between = Math.min(accepted, Math.max(0, document.item() - nextItem));
            plan.rejectLimit().onAccepted(between);
            accepted -= between;
            nextItem = document.item() + 1;
            Optional<String> limit = plan.rejectLimit()
                    .onRejected(document.letter().type(), document.letter().reason());
            if (limit.isPresent()) {
                return limit;
            }
        }
        plan.rejectLimit().onAccepted(accepted);
        return Optional.empty();
    }

    /** Everything of the batch that goes to the dead letters, in the order of the source. */
    private List<Rejected> rejected(Settlement settlement) {
        Batch batch = settlement.batch();
        Partition partition = partitions.get(batch.partition());
        var all = new ArrayList<Rejected>();
        for (Rejection rejection : settlement.rejections()) {
            int item = rejection.item();
            Source.Place place = plan.source().locate(partition, batch.position(item));
            all.add(new Rejected(
                    item,
                    new DeadLetter(
                            plan.clock().now(),
                            place.partition(),
                            place.position(),
                            rejection.status(),
                            rejection.type(),
                            rejection.reason(),
                            rejection.attempts(),
                            batch.actionLine(item),
                            out -> batch.writeDocument(item, out),
                            batch.documentBytes(item))));
        }
        for (BadDocument bad : batch.badDocuments()) {
            Source.Place place = plan.source().locate(partition, bad.position());
            all.add(new Rejected(
                    0,
                    new DeadLetter(
                            plan.clock().now(),
                            place.partition(),
                            place.position(),
                            0,
                            bad.type(),
                            bad.reason(),
                            0,
                            new byte[0],
                            bad.body()::writeTo,
                            bad.bytes())));
        }
        if (!batch.badDocuments().isEmpty()) {
            all.sort(Comparator.comparingLong(
                    rejected -> rejected.letter().position().offset()));
        }
        return all;
    }

    private record Rejected(int item, DeadLetter letter) {}
}
