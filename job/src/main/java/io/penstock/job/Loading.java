package io.penstock.job;

import io.penstock.core.batch.BufferPool;
import io.penstock.core.checkpoint.Checkpoint;
import io.penstock.core.checkpoint.DurabilityBarrier;
import io.penstock.core.deadletter.DeadLetterWriter;
import io.penstock.core.delivery.Backoff;
import io.penstock.core.delivery.DeliveryPolicy;
import io.penstock.core.delivery.StopReason;
import io.penstock.core.event.LoadEvent;
import io.penstock.core.fate.Counts;
import io.penstock.core.load.Load;
import io.penstock.core.load.LoadPlan;
import io.penstock.core.load.LoadResult;
import io.penstock.core.load.RejectLimit;
import io.penstock.core.load.StopSignal;
import io.penstock.core.source.Source;
import io.penstock.core.time.Clock;
import io.penstock.core.window.WindowLimits;
import io.penstock.core.window.WindowSize;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a job gets documents into its index, under a guard alias: first by the cluster's own copy where there is one,
 * then by a {@link Load} of what is left, again from the last checkpoint when a server lost writes. {@link #stop} may
 * come from another thread.
 */
final class Loading {
    private static final int FIRST_BULK_BYTES = 1 << 20;
    private static final int FIRST_CONCURRENCY = 2;
    private static final int BULK_BYTES_MIN = 64 << 10;
    private static final int BULK_BYTES_MAX = 16 << 20;
    private static final Duration DRAIN = Duration.ofSeconds(10);
    private static final Duration STATE_RETRY = Duration.ofMinutes(1);

    private final JobPlan plan;
    private final Target.ClusterFacts cluster;
    private final JobFolder folder;
    private final TargetIndex index;
    private final Optional<Sample> sample;
    private final RequestMeter meter;
    private final Job.JobListener listener;
    private final Clock clock;
    private volatile boolean settingsAreBack;
    private volatile Counts kept = Counts.NONE;
    private volatile Counts settled = Counts.NONE;
    private final AtomicLong read = new AtomicLong();
    private volatile @Nullable Load load;
    private volatile @Nullable String stopped;

    /** @param sample takes some of the documents that are sent */
    Loading(
            JobPlan plan,
            Target.ClusterFacts cluster,
            JobFolder folder,
            TargetIndex index,
            Optional<Sample> sample,
            RequestMeter meter,
            Job.JobListener listener,
            Clock clock) {
        this.plan = plan;
        this.cluster = cluster;
        this.folder = folder;
        this.index = index;
        this.sample = sample;
        this.meter = meter;
        this.listener = listener;
        this.clock = clock;
    }

    /** Stops what runs, and whatever would begin later. */
    void stop(String why) {
        stopped = why;
        Load running = load;
        if (running != null) {
            running.stop(StopReason.INTERRUPTED, why);
        }
    }

    /** Counts of what has its end by now. */
    Counts settled() {
        return settled;
    }

    /** Documents that are read and have no end yet. */
    long underWay() {
        return Math.max(0, read.get() - settled.read());
    }

    /** The envelope came off while the load goes on: what is acknowledged may be safe from now on without a flush. */
    void settingsAreBack() {
        settingsAreBack = true;
    }

    /** Flushes while the translog is asynchronous, and once after: an envelope, also another load's, changes it. */
    private final class Flushing implements DurabilityBarrier {
        private volatile @Nullable DurabilityBarrier flush;
        private volatile boolean needed = index.hasAsyncTranslog();

        Flushing() {
            try {
                flush = index.barrier(); // at the beginning, to notice what a server loses from then on
            } catch (TargetException e) {
                if (needed) {
                    throw e;
                }
            }
        }

        @Override
        public Durability makeDurable() {
            boolean async;
            DurabilityBarrier flushing;
            try {
                async = index.hasAsyncTranslog();
                if (!async && !needed) {
                    return NONE.makeDurable();
                }
                needed = true;
                DurabilityBarrier known = flush;
                flushing = known == null ? index.barrier() : known;
                flush = flushing;
            } catch (TargetException e) {
                // As long as the cluster does not say, it is as it was.
                return needed ? new Durability.NotYet(String.valueOf(e.getMessage())) : NONE.makeDurable();
            }
            Durability made = flushing.makeDurable();
            needed = async || !(made instanceof Durability.Safe);
            return made;
        }

        @Override
        public Duration interval() {
            DurabilityBarrier flushing = flush;
            return needed && flushing != null && !settingsAreBack ? flushing.interval() : NONE.interval();
        }
    }

    /** Loads what the checkpoint leaves to load. */
    LoadResult toTheEnd(Checkpoint start, boolean resumed) {
        if (start.isComplete()) {
            unguard(guardAlias()); // an earlier run may have been killed before it did
            return new LoadResult(start.counts(), true, List.of(), firstSize(), "nothing to do", 0);
        }
        if (!plan.source().isResumable()) {
            listener.onWarning(
                    "standard input cannot be read again: if this load is stopped, it cannot go on where it was");
        } else if (!resumed && plan.live().isEmpty()) {
            folder.store().write(start); // from here on a crash is seen by the next run
        }
        Optional<String> guard = guard();
        LoadResult result;
        if (plan.copyInside().isPresent()) {
            result = copied(plan.copyInside().get(), guard, start, resumed);
        } else {
            result = sent(start, resumed);
        }
        guard.ifPresent(this::unguard);
        return result;
    }

    /** Loads another source beside the plan's, without checkpoints: stopped, all of it is to be loaded again. */
    LoadResult changes(Source source) {
        Optional<String> guard = guard();
        LoadResult result = load(source, JobFolder.startOf(source), true, Optional.empty());
        guard.ifPresent(this::unguard);
        return result;
    }

    // ---- the cluster's own copy ---------------------------------------------------------------------------------

    /** Without the way through this process: fewer bytes on the network, and none of them parsed here. */
    private LoadResult copied(ServerCopy copy, Optional<String> guard, Checkpoint start, boolean resumed) {
        var copying = new Copying(
                plan,
                copy,
                index,
                guard.orElse(index.name()),
                guard.isPresent(),
                folder.store(),
                start,
                listener,
                clock,
                () -> stopped != null);
        var stops = new ArrayList<StopSignal.Stop>();
        long began = clock.nanos();
        try {
            copying.run(resumed);
        } catch (TargetException e) {
            boolean nothingCopied = copying.at().counts().equals(start.counts());
            if (e.reason() == TargetException.Reason.REFUSES && nothingCopied) {
                listener.onWarning("%s; reading and sending the documents instead".formatted(e.getMessage()));
                return sent(start, resumed);
            }
            StopReason reason = e.reason() == TargetException.Reason.UNUSABLE
                    ? StopReason.TARGET_UNUSABLE
                    : StopReason.TARGET_REFUSES;
            stops.add(new StopSignal.Stop(reason, String.valueOf(e.getMessage())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String why = stopped;
        if (why != null) {
            stops.add(new StopSignal.Stop(StopReason.INTERRUPTED, why));
        }
        long nanos = clock.nanos() - began;
        Checkpoint at = copying.at();
        if (at.isComplete() || !stops.isEmpty()) {
            return new LoadResult(at.counts(), at.isComplete(), stops, firstSize(), "copied inside the cluster", nanos);
        }
        LoadResult rest = sent(at, true);
        return new LoadResult(
                rest.counts(), rest.complete(), rest.stops(), rest.window(), rest.windowReason(), nanos + rest.nanos());
    }

    // ---- bulk requests ------------------------------------------------------------------------------------------

    private LoadResult sent(Checkpoint start, boolean resumed) {
        Optional<Consumer<Checkpoint>> keeper =
                plan.source().isResumable() ? Optional.of(this::keep) : Optional.empty();
        LoadResult result = load(plan.source(), start, resumed, keeper);
        while (canRewind(result)) {
            listener.onWarning(result.stops().get(0).message() + "; sending again what is behind the last checkpoint");
            result = load(plan.source(), lastKept(start), true, keeper);
        }
        return result;
    }

    private void keep(Checkpoint checkpoint) {
        if (plan.live().isPresent()) {
            plan.live().get().source().commit(checkpoint.marks().get(0).position());
            kept = checkpoint.counts();
        } else {
            folder.store().write(checkpoint);
        }
    }

    private void count(LoadEvent event) {
        switch (event) {
            case LoadEvent.BatchRead batch -> read.addAndGet(batch.documents());
            case LoadEvent.BatchSettled batch -> settled = batch.total();
            default -> {}
        }
    }

    private Checkpoint lastKept(Checkpoint start) {
        return plan.live().isPresent()
                ? new Checkpoint(start.facts(), start.marks(), kept)
                : folder.store().read().orElse(start);
    }

    /** Whether the load stopped for nothing but writes that a server lost, and the source can be read again. */
    private boolean canRewind(LoadResult result) {
        return plan.source().isResumable()
                && stopped == null
                && result.stops().size() == 1
                && result.stops().get(0).reason() == StopReason.WRITES_LOST;
    }

    private LoadResult load(
            Source source, Checkpoint start, boolean resumed, Optional<Consumer<Checkpoint>> checkpoints) {
        read.set(start.counts().read());
        settled = start.counts();
        var next = new Load(new LoadPlan(
                sample.map(some -> some.around(source)).orElse(source),
                index.transport(plan.pipeline()),
                new Flushing(),
                plan.index(),
                plan.serverIds(),
                new BufferPool(plan.memoryBytes()),
                limits(),
                firstSize(),
                new DeliveryPolicy(Backoff.DEFAULT, plan.retriesMax(), plan.outageMax(), resumed),
                plan.rejectsMax().isPresent()
                        ? RejectLimit.total(
                                plan.rejectsMax().getAsLong(), start.counts().deadLettered())
                        : RejectLimit.ofOneKind(),
                plan.rate(),
                checkpoints,
                start,
                new DeadLetterWriter(deadLetters()),
                STATE_RETRY,
                DRAIN,
                event -> {
                    meter.on(event);
                    sample.ifPresent(some -> some.on(event));
                    count(event);
                    listener.on(event);
                },
                clock));
        load = next;
        String why = stopped;
        if (why != null) {
            next.stop(StopReason.INTERRUPTED, why);
        }
        LoadResult result = next.run();
        if (result.counts().addsUp()) {
            return result;
        }
        var stops = new ArrayList<>(result.stops());
        stops.add(new StopSignal.Stop(
                StopReason.BUG, "the ledger does not add up: " + result.counts().equation()));
        return new LoadResult(
                result.counts(), result.complete(), stops, result.window(), result.windowReason(), result.nanos());
    }

    Path deadLetters() {
        return plan.deadLetters().orElse(folder.folder().resolve("dead-letters.ndjson"));
    }

    private WindowSize firstSize() {
        return new WindowSize(
                plan.bulkBytes().orElse(FIRST_BULK_BYTES), plan.concurrency().orElse(FIRST_CONCURRENCY));
    }

    /** Three quarters of the memory may be in flight; the rest is for the batch being filled and those that wait. */
    private WindowLimits limits() {
        long contentMax = cluster.contentBytesMax() / 10 * 9;
        int fixedBulk = plan.bulkBytes().orElse(-1);
        int bulkMax = (int)
                Math.min(contentMax, fixedBulk > 0 ? fixedBulk : Math.min(BULK_BYTES_MAX, plan.memoryBytes() / 4));
        int bulkMin = Math.min(bulkMax, fixedBulk > 0 ? fixedBulk : BULK_BYTES_MIN);
        int concurrencyMax = plan.concurrency().orElse(plan.concurrencyMax());
        int concurrencyMin = plan.concurrency().orElse(1);
        return new WindowLimits(bulkMin, bulkMax, concurrencyMin, concurrencyMax, plan.memoryBytes() / 4 * 3);
    }

    // ---- guard --------------------------------------------------------------------------------------------------

    private String guardAlias() {
        return "penstock-load-" + folder.id().substring(folder.id().lastIndexOf('-') + 1);
    }

    private Optional<String> guard() {
        String alias = guardAlias();
        Optional<String> without = index.guard(alias);
        without.ifPresent(listener::onWarning);
        return without.isPresent() ? Optional.empty() : Optional.of(alias);
    }

    private void unguard(String alias) {
        try {
            index.unguard(alias);
        } catch (TargetException e) {
            listener.onWarning("the alias %s of this load is still on %s; the next run of it removes it (%s)"
                    .formatted(alias, index.name(), e.getMessage()));
        }
    }
}
