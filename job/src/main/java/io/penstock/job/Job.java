package io.penstock.job;

import io.penstock.core.checkpoint.Checkpoint;
import io.penstock.core.delivery.StopReason;
import io.penstock.core.event.LoadListener;
import io.penstock.core.fate.Counts;
import io.penstock.core.load.LoadResult;
import io.penstock.core.load.StopSignal;
import io.penstock.core.source.LiveSource;
import io.penstock.core.source.Partition;
import io.penstock.core.source.Source;
import io.penstock.core.source.SourceException;
import io.penstock.core.state.StateException;
import io.penstock.core.time.Clock;
import io.penstock.envelope.EnvelopeHeldException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One whole load: pre-flight, envelope, load, verification, finish, cut-over, report. {@link #run} is called once and
 * always gives a report; {@link #stop} may come from another thread, for example a signal's.
 */
public final class Job {
    /** Under this key the index keeps which live source it is filled from. */
    private static final String SOURCE_NOTE = "penstock_source";

    private final JobPlan plan;
    private final Target target;
    private final JobListener listener;
    private final Clock clock;
    private final Troubles troubles = new Troubles();
    private final Checks checks;
    private final Serving serving;
    private final RequestMeter meter = new RequestMeter();
    private boolean joined;
    private volatile @Nullable Loading loading;
    private volatile @Nullable ExitCode stoppedBy;

    public Job(JobPlan plan, Target target, JobListener listener, Clock clock) {
        this.plan = plan;
        this.target = target;
        this.listener = listener;
        this.clock = clock;
        this.checks = new Checks(plan, listener, clock, troubles);
        this.serving = new Serving(plan, target, listener, clock, troubles, () -> stoppedBy != null);
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
        Loading running = loading;
        if (running != null) {
            running.stop(whyStopped());
        }
    }

    private String whyStopped() {
        return plan.source().isResumable()
                ? "stopped by a signal; the same command goes on from here"
                : "stopped by a signal; a pipe cannot be read again, so this load cannot go on";
    }

    /** Does it all. */
    public JobReport run() {
        long began = clock.nanos();
        try {
            Target.ClusterFacts cluster = target.facts();
            listener.onStep("cluster: %s %s".formatted(cluster.flavour(), cluster.version()));
            List<Partition> partitions = plan.source().partitions();
            String id = JobFolder.id(
                    cluster.uuid(), plan.index(), partitions, plan.live().map(live -> HeldEnvelope.host()));
            if (plan.dryRun()) {
                return dryRun(id, partitions, began);
            }
            try (JobFolder folder =
                    plan.live().isPresent() ? JobFolder.openAny(plan.state(), id) : JobFolder.open(plan.state(), id)) {
                return run(cluster, folder, began);
            }
        } catch (TargetException e) {
            troubles.fail(e.exitCode(), String.valueOf(e.getMessage()));
        } catch (StateException e) {
            troubles.fail(ExitCode.LOCAL_STATE, String.valueOf(e.getMessage()));
        }
        return endedEarly("", began);
    }

    private JobReport run(Target.ClusterFacts cluster, JobFolder folder, long began) {
        Optional<Beginning> beginning = begin(cluster, folder);
        if (beginning.isEmpty()) {
            return endedEarly(folder.id(), began);
        }
        Checkpoint start = beginning.get().start();
        TargetIndex index = beginning.get().index();
        boolean bringsUp = bringsUp(index, beginning.get().behindAlias());
        Optional<HeldEnvelope> envelope = follows() && !bringsUp
                ? Optional.empty()
                : putEnvelopeOn(folder, index, start, beginning.get().resumed());
        Optional<Sample> sample = plan.finish().sampled() && plan.copy().isEmpty()
                ? Optional.of(new Sample(plan.index(), new Random()))
                : Optional.empty();
        var into = new Loading(plan, cluster, folder, index, sample, meter, listener, clock);
        loading = into;
        if (stoppedBy != null) {
            into.stop(whyStopped());
        }
        Optional<CatchingUp> catchingUp = plan.catchUp()
                .map(changes -> new CatchingUp(
                        changes,
                        Optional.ofNullable(start.facts().get(JobFolder.CATCH_UP_FACT)),
                        source -> loadChanges(into, source),
                        listener));
        LoadResult result;
        Optional<JobReport.Verified> verified = Optional.empty();
        long loaded;
        try {
            result = loaded(into, index, envelope, beginning.get(), bringsUp);
            told(result);
            catchUp(result, catchingUp, CatchingUp::untilSmall);
            loaded = clock.nanos();
            if (isWell(result) && plan.finish().counted()) {
                verified = checks.verify(folder, index, start, counts(result, catchingUp));
            }
            if (isWell(result) && plan.finish().sampled()) {
                checks.compare(
                        index,
                        sample.map(Sample::documents)
                                .or(() -> plan.copy().map(copy -> copy.sample().get())));
            }
            if (isWell(result)) {
                serving.finish(index, envelope);
            }
        } finally {
            envelope.flatMap(HeldEnvelope::close).ifPresent(troubles::notRestored);
        }
        if (plan.finish().alias().isPresent() && !follows()) {
            catchUp(result, catchingUp, CatchingUp::once);
            if (isWell(result)) {
                serving.cutOver(index, beginning.get().behindAlias());
            }
            catchUp(result, catchingUp, CatchingUp::once); // what was written before everybody wrote to the new index
        }
        Counts counts = counts(result, catchingUp);
        if (counts.deadLettered() > 0) {
            troubles.add(ExitCode.DEAD_LETTERS);
        }
        if (stoppedBy != null && !troubles.exits().contains(stoppedBy)) {
            troubles.fail(stoppedBy, "stopped by a signal; the same command goes on from here");
        }
        var seconds = new JobReport.Seconds(seconds(began), result.nanos() / 1e9, seconds(loaded));
        return report(folder.id(), counts, start.counts(), seconds, result, verified, into.deadLetters());
    }

    /**
     * What a load begins with.
     *
     * @param start the checkpoint to go on from
     * @param resumed whether an earlier run wrote it
     * @param index what is loaded
     * @param behindAlias what the alias to be moved stands for
     */
    private record Beginning(Checkpoint start, boolean resumed, TargetIndex index, SortedSet<String> behindAlias) {}

    /** Looks at everything that can be known before, and makes the index; nothing if the load cannot begin. */
    private Optional<Beginning> begin(Target.ClusterFacts cluster, JobFolder folder) {
        Optional<Checkpoint> earlier = folder.earlier(plan);
        if (earlier.isPresent() && !canGoOn(earlier.get())) {
            return Optional.empty();
        }
        Optional<TargetIndex> found = target.find(plan.index());
        if (earlier.isPresent() && !isSameIndex(earlier.get(), found)) {
            return Optional.empty();
        }
        plan.finish().alias().ifPresent(alias -> Finish.checkAlias(alias, target));
        SortedSet<String> behindAlias =
                plan.finish().alias().map(target.aliases()::behind).orElseGet(TreeSet::new);
        TargetIndex index = found.orElseGet(this::create);
        Checkpoint start = earlier.orElseGet(() -> JobFolder.beginning(plan, index.uuid(), index.countAfterRefresh()));
        if (start.isComplete()) {
            listener.onStep("already loaded; --restart loads it again");
        } else if (earlier.isPresent()) {
            listener.onStep("going on behind %,d documents of an earlier run"
                    .formatted(start.counts().read()));
        }
        tellOfAbandoned(index);
        if (plan.live().isPresent()) {
            try {
                readFor(cluster, folder, index, plan.live().get().source());
            } catch (SourceException e) {
                troubles.fail(ExitCode.SOURCE, String.valueOf(e.getMessage()));
                return Optional.empty();
            }
        }
        return Optional.of(new Beginning(start, earlier.isPresent(), index, behindAlias));
    }

    private boolean isWell(LoadResult result) {
        return troubles.isEmpty() && result.complete() && stoppedBy == null && !joined;
    }

    // ---- live sources -------------------------------------------------------------------------------------------

    private boolean follows() {
        return plan.live().filter(LivePlan::follow).isPresent();
    }

    /** Whether there is an alias that does not yet stand for the index that is loaded. */
    private boolean bringsUp(TargetIndex index, SortedSet<String> behindAlias) {
        return follows()
                && plan.finish().alias().isPresent()
                && !behindAlias.equals(new TreeSet<>(Set.of(index.name())));
    }

    /** What to keep with the index is noted before anything is read, so that the next run can tell topics apart. */
    private void readFor(Target.ClusterFacts cluster, JobFolder folder, TargetIndex index, LiveSource source)
            throws SourceException {
        if (index.uuid().isEmpty()) {
            throw new TargetException(
                    TargetException.Reason.USAGE,
                    "%s is a data stream, which takes no versions and no deletes: load %s into an index"
                            .formatted(index.name(), source.name()),
                    null);
        }
        Optional<String> noted = index.noted(SOURCE_NOTE);
        String target = index.name() + "." + cluster.uuid() + "." + index.uuid();
        String note = source.readFor(target, folder.reader(), noted, plan.restart());
        if (!noted.equals(Optional.of(note))) {
            index.note(SOURCE_NOTE, note);
        }
        RememberedDeletes.of(index).warning(plan.outageMax()).ifPresent(listener::onWarning);
    }

    /** Loads everything, of a live source with somebody beside it who knows how far it is. */
    @SuppressWarnings("try") // Somebody is beside it, and is not used.
    private LoadResult loaded(
            Loading into, TargetIndex index, Optional<HeldEnvelope> envelope, Beginning beginning, boolean bringsUp) {
        if (plan.live().isEmpty()) {
            return into.toTheEnd(beginning.start(), beginning.resumed());
        }
        LiveSource source = plan.live().get().source();
        var steps = new BringingUp(into, index, envelope, beginning, bringsUp && !joined);
        LoadResult result;
        try (var following = new Following(plan.live().get(), steps, into::underWay, listener, clock)) {
            result = into.toTheEnd(beginning.start(), beginning.resumed());
        }
        try {
            source.close();
        } catch (SourceException e) {
            listener.onWarning(String.valueOf(e.getMessage()));
        }
        return result;
    }

    /** The finish of a load that does not end. */
    private final class BringingUp implements Following.Steps {
        private final Loading into;
        private final TargetIndex index;
        private final Optional<HeldEnvelope> envelope;
        private final Beginning beginning;
        private final boolean wanted;

        BringingUp(
                Loading into, TargetIndex index, Optional<HeldEnvelope> envelope, Beginning beginning, boolean wanted) {
            this.into = into;
            this.index = index;
            this.envelope = envelope;
            this.beginning = beginning;
            this.wanted = wanted;
        }

        @Override
        public boolean wanted() {
            return wanted;
        }

        @Override
        public boolean serve() {
            listener.onStep("near the end of %s".formatted(plan.source().name()));
            serving.finish(index, envelope);
            if (Thread.currentThread().isInterrupted()) {
                return false; // the load has ended, and whoever ends it takes the envelope off
            }
            Optional<String> problem = envelope.flatMap(HeldEnvelope::close);
            if (Thread.currentThread().isInterrupted()) {
                return false; // the same: it is tried again
            }
            problem.ifPresent(troubles::notRestored);
            into.settingsAreBack();
            return goesOn();
        }

        @Override
        public boolean cutOver() {
            checks.verifyMeanwhile(into, index, beginning.start());
            if (troubles.isEmpty()) {
                serving.cutOver(index, beginning.behindAlias());
            }
            return goesOn();
        }

        private boolean goesOn() {
            if (!troubles.isEmpty()) {
                into.stop("stopped: " + troubles.messages().getLast());
            }
            return troubles.isEmpty() && stoppedBy == null;
        }
    }

    private static Counts counts(LoadResult result, Optional<CatchingUp> catchingUp) {
        return result.counts().plus(catchingUp.map(CatchingUp::counts).orElse(Counts.NONE));
    }

    private void told(LoadResult result) {
        for (StopSignal.Stop stop : result.stops()) {
            if (stop.reason() == StopReason.INTERRUPTED && stoppedBy == null && !troubles.isEmpty()) {
                continue; // we stopped it ourselves, and why is said already
            }
            troubles.fail(exitCode(stop.reason()), stop.message());
        }
    }

    /** Loads what changed in the source meanwhile, if all has gone well so far. */
    private void catchUp(LoadResult result, Optional<CatchingUp> catchingUp, Consumer<CatchingUp> howFar) {
        if (catchingUp.isEmpty() || !isWell(result)) {
            return;
        }
        try {
            howFar.accept(catchingUp.get());
        } catch (TargetException e) {
            troubles.fail(
                    e.exitCode(),
                    "what changed in the source meanwhile was not copied: %s; the same command goes on"
                            .formatted(e.getMessage()));
        }
    }

    private Counts loadChanges(Loading into, Source changes) {
        LoadResult result = into.changes(changes);
        told(result);
        return result.counts();
    }

    // ---- envelope -----------------------------------------------------------------------------------------------

    private Optional<HeldEnvelope> putEnvelopeOn(
            JobFolder folder, TargetIndex index, Checkpoint start, boolean resumed) {
        if (start.isComplete() || (plan.keepSettings() && resumed)) {
            HeldEnvelope.recoverOwn(folder.id(), index, clock.now());
        }
        if (start.isComplete() || plan.keepSettings()) {
            return Optional.empty();
        }
        boolean looked = false;
        while (true) {
            try {
                Optional<HeldEnvelope> held = HeldEnvelope.open(
                        folder.id(), index, target.dataNodes(), plan.copy().isEmpty(), listener, clock);
                held.ifPresent(this::putOn);
                return held;
            } catch (TargetException e) {
                if (plan.live().isEmpty() || !(e.getCause() instanceof EnvelopeHeldException)) {
                    throw e;
                }
                listener.onStep("looking for a sign of life: " + e.getMessage());
                if (HeldEnvelope.isHeldByTheLiving(index, clock)) {
                    joined = true;
                    listener.onStep("reading beside another load of %s, to which settings, count and alias are left"
                            .formatted(index.name()));
                    return Optional.empty();
                }
                if (looked) {
                    throw e;
                }
                looked = true;
            }
        }
    }

    private void putOn(HeldEnvelope envelope) {
        try {
            envelope.putOn();
        } catch (TargetException e) {
            envelope.close().ifPresent(troubles::notRestored); // it may have been done, and the answer lost
            throw e;
        }
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

    // ---- pre-flight ---------------------------------------------------------------------------------------------

    private boolean canGoOn(Checkpoint earlier) {
        Optional<String> mismatch = JobFolder.mismatch(earlier, plan);
        mismatch.ifPresent(why -> troubles.fail(ExitCode.USAGE, why));
        Optional<String> changed =
                JobFolder.changedSource(earlier, plan.source().partitions());
        changed.ifPresent(why -> troubles.fail(ExitCode.SOURCE, why));
        return mismatch.isEmpty() && changed.isEmpty();
    }

    private boolean isSameIndex(Checkpoint earlier, Optional<TargetIndex> found) {
        String known = earlier.facts().getOrDefault(JobFolder.UUID_FACT, "");
        if (found.isPresent() && found.get().uuid().equals(known)) {
            return true;
        }
        troubles.fail(
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

    // ---- report -------------------------------------------------------------------------------------------------

    private JobReport report(
            String id,
            Counts counts,
            Counts countsBefore,
            JobReport.Seconds seconds,
            LoadResult result,
            Optional<JobReport.Verified> verified,
            Path deadLetters) {
        return new JobReport(
                id,
                plan.index(),
                troubles.exits(),
                troubles.messages(),
                counts,
                countsBefore,
                meter.requests(),
                seconds,
                Optional.of(result.window()).filter(size -> meter.requests().sent() > 0),
                result.windowReason(),
                verified,
                !troubles.exits().contains(ExitCode.SETTINGS_NOT_RESTORED),
                Optional.of(deadLetters).filter(Files::exists));
    }

    private JobReport endedEarly(String id, long began) {
        return new JobReport(
                id,
                plan.index(),
                troubles.exits(),
                troubles.messages(),
                Counts.NONE,
                Counts.NONE,
                JobReport.Requests.NONE,
                new JobReport.Seconds(seconds(began), 0, 0),
                Optional.empty(),
                "",
                Optional.empty(),
                !troubles.exits().contains(ExitCode.SETTINGS_NOT_RESTORED),
                Optional.empty());
    }

    private ExitCode exitCode(StopReason reason) {
        return switch (reason) {
            case SOURCE -> ExitCode.SOURCE;
            case TARGET_UNUSABLE, WRITES_LOST -> ExitCode.TARGET_UNUSABLE;
            case TARGET_REFUSES -> ExitCode.TARGET_REFUSES;
            case LOCAL_STATE -> ExitCode.LOCAL_STATE;
            case TOO_MANY_REJECTS -> ExitCode.TOO_MANY_REJECTS;
            case BUG -> ExitCode.BUG;
            case INTERRUPTED -> Objects.requireNonNullElse(stoppedBy, ExitCode.INTERRUPT);
        };
    }

    private double seconds(long sinceNanos) {
        return (clock.nanos() - sinceNanos) / 1e9;
    }
}
