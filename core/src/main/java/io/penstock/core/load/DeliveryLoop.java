package io.penstock.core.load;

import io.penstock.core.batch.Batch;
import io.penstock.core.delivery.BatchJourney;
import io.penstock.core.delivery.BulkReply;
import io.penstock.core.delivery.Progress;
import io.penstock.core.delivery.Settlement;
import io.penstock.core.delivery.Step;
import io.penstock.core.delivery.StopReason;
import io.penstock.core.event.LoadEvent;
import io.penstock.core.window.Outcome;
import io.penstock.core.window.Window;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * Step 4 of the load path, on a thread of its own for each batch: does what the batch's journey asks for until every
 * document has its end. When the load is stopped, a request in flight is finished and nothing new is sent.
 */
final class DeliveryLoop {
    private final LoadPlan plan;
    private final SharedWindow window;
    private final StopSignal stop;
    private final Consumer<Settlement> handOver;

    DeliveryLoop(LoadPlan plan, SharedWindow window, StopSignal stop, Consumer<Settlement> handOver) {
        this.plan = plan;
        this.window = window;
        this.stop = stop;
        this.handOver = handOver;
    }

    /** Brings a batch to its end, or leaves it open when the load is stopped. */
    void run(Batch batch) throws InterruptedException {
        var journey = new BatchJourney(batch, plan.delivery(), ThreadLocalRandom.current(), now());
        while (true) {
            switch (journey.next(now())) {
                case Step.Settled settled -> {
                    handOver.accept(settled.settlement());
                    return;
                }
                case Step.Stop stopped -> {
                    stop.stop(stopped.reason(), stopped.message());
                    return;
                }
                case Step step
                when stop.isStopped() -> {
                    return;
                }
                case Step.Send send -> send(batch, send.items(), journey);
                case Step.Confirm confirm ->
                    journey.onConfirmed(plan.transport().confirm(batch, confirm.items()), now());
                case Step.Wait wait ->
                    plan.clock().sleep(Duration.ofNanos(Math.clamp(wait.untilNanos() - now(), 0, 1_000_000_000L)));
            }
        }
    }

    private void send(Batch batch, int[] items, BatchJourney journey) throws InterruptedException {
        Window.Permit permit = window.take();
        Progress progress = new Progress(Outcome.IGNORED, 0, "", 0);
        long began = now();
        try {
            if (stop.isStopped()) {
                return;
            }
            plan.listener().on(new LoadEvent.RequestStarted(batch.bytes(items)));
            BulkReply reply = plan.transport().send(batch, items);
            progress = journey.onReply(reply, now(), window.lastSuccessNanos(batch));
            if (items.length > 1 && saysNothing(reply)) {
                window.failed(batch);
            }
        } finally {
            window.end(permit, progress.outcome(), progress.acknowledged(), progress.tooLargeBytes());
        }
        plan.listener()
                .on(new LoadEvent.RequestEnded(
                        progress.outcome(),
                        items.length,
                        progress.acknowledged(),
                        batch.bytes(items),
                        now() - began,
                        progress.trouble(),
                        progress.tooLargeBytes() > 0));
    }

    private static boolean saysNothing(BulkReply reply) {
        return reply instanceof BulkReply.NoAnswer
                || (reply instanceof BulkReply.Refused refused && refused.status() / 100 == 5);
    }

    private long now() {
        return plan.clock().nanos();
    }

    /** Says that a loop died of something that must not happen. */
    static void failed(Throwable cause, LoadPlan plan, StopSignal stop) {
        plan.listener().on(new LoadEvent.Failed(cause));
        stop.stop(StopReason.BUG, "this is a bug in Penstock: %s (run again with -v and report it)".formatted(cause));
    }
}
