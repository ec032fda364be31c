package io.penstock.job;

import io.penstock.core.batch.BufferPool;
import io.penstock.core.checkpoint.Checkpoint;
import io.penstock.core.checkpoint.DurabilityBarrier;
import io.penstock.core.deadletter.DeadLetterWriter;
import io.penstock.core.delivery.Backoff;
import io.penstock.core.delivery.DeliveryPolicy;
import io.penstock.core.delivery.StopReason;
import io.penstock.core.event.LoadListener;
import io.penstock.core.fate.Counts;
import io.penstock.core.load.Load;
import io.penstock.core.load.LoadPlan;
import io.penstock.core.load.LoadResult;
import io.penstock.core.load.RejectLimit;
import io.penstock.core.load.StopSignal;
import io.penstock.core.source.Partition;
import io.penstock.core.state.StateException;
import io.penstock.core.time.Clock;
import io.penstock.core.window.WindowLimits;
import io.penstock.core.window.WindowSize;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One whole load: pre-flight, envelope, load, verification, finish, cut-over, report. {@link #run} is called once and
 * always gives a report; {@link #stop} may come from another thread, for example a signal's.
 */
public final class Job {
    private static final int FIRST_BULK_BYTES = 1 << 20;
    private static final int FIRST_CONCURRENCY = 2;
    private static final int BULK_BYTES_MIN = 64 << 10;
    private static final int BULK_BYTES_MAX = 16 << 20;
    private static final Duration DRAIN = Duration.ofSeconds(10);
    private static final Duration STATE_RETRY = Duration.ofMinutes(1);

    private final JobPlan plan;
    private final Target target;
    private final JobListener listener;
    private final Clock clock;
    private final List<ExitCode> exits = new ArrayList<>();
    private final List<String> messages = new ArrayList<>();
    private final RequestMeter meter = new RequestMeter();
    private volatile @Nullable Load load;
    private volatile @Nullable ExitCode stoppedBy;

    public Job(JobPlan plan, Target target, JobListener listener, Clock clock) {
        this.plan = plan;
        this.target = target;
        this.listener = listener;
        this.clock = clock;
    }

    /** Hears what happens in a job, and the events of its load. */
    public interface JobListener extends LoadListener {
        /** A step begins; one short line for people. */
        void onStep(String what);

        /** Something a person should know, though the job goes on. */
        void onWarning(String what);
    }

    /** Somebody asked the job to end; {@code signal} is the exit code that says who. */
    public void stop(ExitCode signal) {
        stoppedBy = signal;
        Load running = load;
        if (running != null) {
            running.stop(
                    StopReason.INTERRUPTED,
                    plan.source().isResumable()
                            ? "stopped by a signal; the same command goes on from here"
                            : "stopped by a signal; a pipe cannot be read again, so this load cannot go on");
        }
    }

    /** Does it all. */
    public JobReport run() {
        long began = clock.nanos();
        try {
            Target.ClusterFacts cluster = target.facts();
            listener.onStep("cluster: %s %s".formatted(cluster.flavour(), cluster.version()));
            List<Partition> partitions = plan.source().partitions();
            String id = JobFolder.id(cluster.uuid(), plan.index(), partitions);
            if (plan.dryRun()) {
                return dryRun(id, partitions, began);
            }
            try (JobFolder folder = JobFolder.open(plan.state(), id)) {
                return run(cluster, folder, began);
            }
        } catch (TargetException e) {
            fail(e.exitCode(), String.valueOf(e.getMessage()));
        } catch (StateException e) {
            fail(ExitCode.LOCAL_STATE, String.valueOf(e.getMessage()));
        }
        return endedEarly("", began);
    }

    private JobReport run(Target.ClusterFacts cluster, JobFolder folder, long began) {
        Optional<Checkpoint> earlier = folder.earlier(plan);
        if (earlier.isPresent() && !canGoOn(earlier.get())) {
            return endedEarly(folder.id(), began);
        }
        Optional<TargetIndex> found = target.find(plan.index());
        if (earlier.isPresent() && !isSameIndex(earlier.get(), found)) {
            return endedEarly(folder.id(), began);
        }
        plan.finish().alias().ifPresent(alias -> Finish.checkAlias(alias, target));
        SortedSet<String> behindAlias =
                plan.finish().alias().map(target::behind).orElseGet(TreeSet::new);
        TargetIndex index = found.orElseGet(this::create);
        Checkpoint start = earlier.orElseGet(() -> JobFolder.beginning(plan, index.uuid(), index.countAfterRefresh()));
        if (start.isComplete()) {
            listener.onStep("already loaded; --restart loads it again");
        } else if (earlier.isPresent()) {
            listener.onStep("going on behind %,d documents of an earlier run"
                    .formatted(start.counts().read()));
        }
        tellOfAbandoned(index);
        Optional<HeldEnvelope> envelope = putEnvelopeOn(folder, index, start);
        LoadResult result;
        Optional<JobReport.Verified> verified = Optional.empty();
        long loaded;
        try {
            result = loadToTheEnd(cluster, folder, index, start, earlier.isPresent());
            loaded = clock.nanos();
            if (result.complete() && result.stops().isEmpty() && plan.finish().counted()) {
                verified = verify(folder, index, start, result.counts());
            }
            finish(index, result, envelope);
        } finally {
            envelope.flatMap(HeldEnvelope::close).ifPresent(this::notRestored);
        }
        if (exits.isEmpty() && result.complete() && plan.finish().alias().isPresent() && stoppedBy == null) {
            cutOver(index, behindAlias);
        }
        if (result.counts().deadLettered() > 0) {
            exits.add(ExitCode.DEAD_LETTERS);
        }
        if (stoppedBy != null && !exits.contains(stoppedBy)) {
            fail(stoppedBy, "stopped by a signal; the same command goes on from here");
        }
        Path deadLetters = deadLetters(folder);
        return new JobReport(
                folder.id(),
                plan.index(),
                List.copyOf(exits),
                List.copyOf(messages),
                result.counts(),
                start.counts(),
                meter.requests(),
                new JobReport.Seconds(seconds(began), result.nanos() / 1e9, seconds(loaded)),
                Optional.of(result.window()),
                result.windowReason(),
                verified,
                !exits.contains(ExitCode.SETTINGS_NOT_RESTORED),
                Optional.of(deadLetters).filter(Files::exists));
    }

    private LoadResult loadToTheEnd(
            Target.ClusterFacts cluster, JobFolder folder, TargetIndex index, Checkpoint start, boolean resumed) {
        LoadResult result = load(cluster, folder, index, start, resumed);
        while (canRewind(result)) {
            listener.onWarning(result.stops().get(0).message() + "; sending again what is behind the last checkpoint");
            result = load(cluster, folder, index, folder.store().read().orElse(start), true);
        }
        for (StopSignal.Stop stop : result.stops()) {
            fail(exitCode(stop.reason()), stop.message());
        }
        return result;
    }

    // ---- envelope -----------------------------------------------------------------------------------------------

    private Optional<HeldEnvelope> putEnvelopeOn(JobFolder folder, TargetIndex index, Checkpoint start) {
        if (plan.keepSettings()) {
            return Optional.empty();
        }
        if (start.isComplete()) {
            HeldEnvelope.recoverOwn(folder.id(), index);
            return Optional.empty();
        }
        return HeldEnvelope.open(folder.id(), index, target.dataNodes(), listener, clock);
    }

    private void tellOfAbandoned(TargetIndex index) {
        target.journals().forEach((name, journal) -> {
            if (!name.equals(index.name()) && !journal.isAliveAt(clock.now())) {
                listener.onWarning(
                        "%s still has the load settings of an earlier %s: 'penstock restore %s' puts them back"
                                .formatted(name, journal.owner(), name));
            }
        });
    }

    private void notRestored(String why) {
        fail(ExitCode.SETTINGS_NOT_RESTORED, why);
    }

    // ---- pre-flight ---------------------------------------------------------------------------------------------

    private boolean canGoOn(Checkpoint earlier) {
        Optional<String> mismatch = JobFolder.mismatch(earlier, plan);
        mismatch.ifPresent(why -> fail(ExitCode.USAGE, why));
        Optional<String> changed =
                JobFolder.changedSource(earlier, plan.source().partitions());
        changed.ifPresent(why -> fail(ExitCode.SOURCE, why));
        return mismatch.isEmpty() && changed.isEmpty();
    }

    private boolean isSameIndex(Checkpoint earlier, Optional<TargetIndex> found) {
        String known = earlier.facts().getOrDefault(JobFolder.UUID_FACT, "");
        if (found.isPresent() && found.get().uuid().equals(known)) {
            return true;
        }
        fail(
                ExitCode.TARGET_REFUSES,
                "the index %s is not the one that the earlier run of this load wrote to (it %s): --restart loads it from the beginning"
                        .formatted(plan.index(), found.isPresent() ? "was made anew" : "is gone"));
        return false;
    }

    private TargetIndex create() {
        listener.onStep("creating index " + plan.index());
        return target.create(plan.index(), plan.definition());
    }

    private JobReport dryRun(String id, List<Partition> partitions, long began) {
        Optional<TargetIndex> found = target.find(plan.index());
        listener.onStep(
                found.isPresent()
                        ? "index %s exists".formatted(plan.index())
                        : "index %s would be created".formatted(plan.index()));
        for (Partition partition : partitions) {
            listener.onStep("would load %s (%s)"
                    .formatted(
                            partition.name(),
                            partition.bytes() == Partition.UNKNOWN_SIZE
                                    ? "size unknown"
                                    : "%,d bytes".formatted(partition.bytes())));
        }
        return endedEarly(id, began);
    }

    // ---- load ---------------------------------------------------------------------------------------------------

    private LoadResult load(
            Target.ClusterFacts cluster, JobFolder folder, TargetIndex index, Checkpoint start, boolean resumed) {
        if (start.isComplete()) {
            return new LoadResult(start.counts(), true, List.of(), firstSize(), "nothing to do", 0);
        }
        String alias = "penstock-load-" + folder.id().substring(folder.id().lastIndexOf('-') + 1);
        index.guard(alias).ifPresent(listener::onWarning);
        DurabilityBarrier barrier = index.hasAsyncTranslog() ? index.barrier() : DurabilityBarrier.NONE;
        var load = new Load(new LoadPlan(
                plan.source(),
                index.transport(plan.pipeline()),
                barrier,
                plan.index(),
                plan.serverIds(),
                new BufferPool(plan.memoryBytes()),
                limits(cluster),
                firstSize(),
                new DeliveryPolicy(Backoff.DEFAULT, plan.retriesMax(), plan.outageMax(), resumed),
                plan.rejectsMax().isPresent()
                        ? RejectLimit.total(
                                plan.rejectsMax().getAsLong(), start.counts().deadLettered())
                        : RejectLimit.ofOneKind(),
                plan.rate(),
                plan.source().isResumable() ? Optional.of(folder.store()) : Optional.empty(),
                start,
                new DeadLetterWriter(deadLetters(folder)),
                STATE_RETRY,
                DRAIN,
                event -> {
                    meter.on(event);
                    listener.on(event);
                },
                clock));
        if (!plan.source().isResumable()) {
            listener.onWarning(
                    "standard input cannot be read again: if this load is stopped, it cannot go on where it was");
        } else if (!resumed) {
            folder.store().write(start); // from here on a crash is seen by the next run
        }
        this.load = load;
        if (stoppedBy != null) {
            load.stop(StopReason.INTERRUPTED, "stopped by a signal");
        }
        LoadResult result = load.run();
        if (!result.counts().addsUp()) {
            fail(ExitCode.BUG, "the ledger does not add up: " + result.counts().equation());
        }
        unguard(index, alias);
        return result;
    }

    /** Whether the load stopped for nothing but writes that a server lost, and the source can be read again. */
    private boolean canRewind(LoadResult result) {
        return plan.source().isResumable()
                && stoppedBy == null
                && result.stops().size() == 1
                && result.stops().get(0).reason() == StopReason.WRITES_LOST;
    }

    private void unguard(TargetIndex index, String alias) {
        try {
            index.unguard(alias);
        } catch (TargetException e) {
            listener.onWarning("the alias %s of this load is still on %s; the next run of it removes it (%s)"
                    .formatted(alias, index.name(), e.getMessage()));
        }
    }

    private WindowSize firstSize() {
        return new WindowSize(
                plan.bulkBytes().orElse(FIRST_BULK_BYTES), plan.concurrency().orElse(FIRST_CONCURRENCY));
    }

    /** Three quarters of the memory may be in flight; the rest is for the batch being filled and those that wait. */
    private WindowLimits limits(Target.ClusterFacts cluster) {
        long contentMax = cluster.contentBytesMax() / 10 * 9;
        int fixedBulk = plan.bulkBytes().orElse(-1);
        int bulkMax = (int)
                Math.min(contentMax, fixedBulk > 0 ? fixedBulk : Math.min(BULK_BYTES_MAX, plan.memoryBytes() / 4));
        int bulkMin = Math.min(bulkMax, fixedBulk > 0 ? fixedBulk : BULK_BYTES_MIN);
        int concurrencyMax = plan.concurrency().orElse(plan.concurrencyMax());
        int concurrencyMin = plan.concurrency().orElse(1);
        return new WindowLimits(bulkMin, bulkMax, concurrencyMin, concurrencyMax, plan.memoryBytes() / 4 * 3);
    }

    private Path deadLetters(JobFolder folder) {
        return plan.deadLetters().orElse(folder.folder().resolve("dead-letters.ndjson"));
    }

    // ---- finish -------------------------------------------------------------------------------------------------

    private Optional<JobReport.Verified> verify(JobFolder folder, TargetIndex index, Checkpoint start, Counts counts) {
        listener.onStep("counting");
        long before = Long.parseLong(start.facts().getOrDefault(JobFolder.BEFORE_FACT, "0"));
        boolean ownIds = !plan.serverIds() && counts.named() == 0;
        boolean resent = counts.retried() > 0 || start.counts().read() > 0 || counts.perhapsOurs() > 0;
        Verification verification = Verification.of(before, counts, ownIds, resent);
        try {
            long counted = index.countAfterRefresh();
            if (JobFolder.isVerified(start)) {
                return Optional.of(new JobReport.Verified(counted, counted));
            }
            if (!verification.fits(counted) && verification.binding()) {
                fail(
                        ExitCode.VERIFICATION,
                        "the index holds %,d documents where %,d belong: somebody else writes to %s, or documents were lost after they were acknowledged"
                                .formatted(counted, verification.expected(counted), index.name()));
            } else if (plan.source().isResumable()) {
                folder.markVerified();
            }
            return Optional.of(new JobReport.Verified(verification.expected(counted), counted));
        } catch (TargetException e) {
            fail(ExitCode.VERIFICATION, "the documents could not be counted: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** From a counted index to one that serves, but for the alias. */
    private void finish(TargetIndex index, LoadResult result, Optional<HeldEnvelope> envelope) {
        boolean serves = envelope.isPresent() || plan.finish().alias().isPresent();
        if (!exits.isEmpty() || !result.complete() || stoppedBy != null) {
            return;
        }
        try {
            Finish finish = finishOf(index);
            finish.forceMerge();
            if (!serves || stoppedBy != null) {
                return;
            }
            Target.DataNodes nodes = target.dataNodes();
            Optional<String> unsettled = envelope.flatMap(held -> held.beginReplicas(nodes));
            unsettled.ifPresent(this::notRestored);
            if (unsettled.isEmpty()) {
                finish.awaitReplicas(nodes).ifPresent(problem -> fail(problem.exit(), problem.message()));
            }
        } catch (TargetException e) {
            fail(e.exitCode(), String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void cutOver(TargetIndex index, SortedSet<String> behindAlias) {
        try {
            finishOf(index).cutOver(behindAlias).ifPresent(problem -> fail(problem.exit(), problem.message()));
        } catch (TargetException e) {
            fail(ExitCode.CUT_OVER, "the alias may not have moved: %s".formatted(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Finish finishOf(TargetIndex index) {
        return new Finish(plan.finish(), target, index, plan.outageMax(), listener, clock, () -> stoppedBy != null);
    }

    // ---- report -------------------------------------------------------------------------------------------------

    private JobReport endedEarly(String id, long began) {
        return new JobReport(
                id,
                plan.index(),
                List.copyOf(exits),
                List.copyOf(messages),
                Counts.NONE,
                Counts.NONE,
                JobReport.Requests.NONE,
                new JobReport.Seconds(seconds(began), 0, 0),
                Optional.empty(),
                "",
                Optional.empty(),
                true,
                Optional.empty());
    }

    private void fail(ExitCode code, String message) {
        exits.add(code);
        messages.add(message);
    }

    private ExitCode exitCode(StopReason reason) {
        return switch (reason) {
            case SOURCE -> ExitCode.SOURCE;
            case TARGET_UNUSABLE, WRITES_LOST -> ExitCode.TARGET_UNUSABLE;
            case TARGET_REFUSES -> ExitCode.TARGET_REFUSES;
            case LOCAL_STATE -> ExitCode.LOCAL_STATE;
            case TOO_MANY_REJECTS -> ExitCode.TOO_MANY_REJECTS;
            case BUG -> ExitCode.BUG;
            case INTERRUPTED -> java.util.Objects.requireNonNullElse(stoppedBy, ExitCode.INTERRUPT);
        };
    }

    private double seconds(long sinceNanos) {
        return (clock.nanos() - sinceNanos) / 1e9;
    }
}
