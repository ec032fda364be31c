package io.penstock.job;

import io.penstock.core.time.Clock;
import io.penstock.envelope.EnvelopedIndex;
import io.penstock.envelope.Journal;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * The steps between a verified load and a serving index: force-merge, settings back, replicas, the alias. Each looks at
 * the cluster before it does anything, so that after a kill the same command goes on where it was.
 */
final class Finish {
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final int ALIAS_LOOKS = 30;

    private final FinishPlan plan;
    private final Target target;
    private final TargetIndex index;
    private final Duration stalledMax;
    private final Job.JobListener listener;
    private final Clock clock;
    private final BooleanSupplier stopped;

    /**
     * @param stalledMax how long replicas may make no progress; zero for as long as it takes
     * @param stopped whether somebody asked the job to end
     */
    Finish(
            FinishPlan plan,
            Target target,
            TargetIndex index,
            Duration stalledMax,
            Job.JobListener listener,
            Clock clock,
            BooleanSupplier stopped) {
        this.plan = plan;
        this.target = target;
        this.index = index;
        this.stalledMax = stalledMax;
        this.listener = listener;
        this.clock = clock;
        this.stopped = stopped;
    }

    /** What went wrong, and the exit code that says so. */
    record Problem(ExitCode exit, String message) {}

    /** Merges if that is asked for; also waits for a merge that an earlier run began. */
    void forceMerge() throws InterruptedException {
        if (plan.segmentsMax().isEmpty()) {
            return;
        }
        int wanted = plan.segmentsMax().getAsInt();
        long began = clock.nanos();
        if (index.isMerging() || index.segmentsMax() > wanted) {
            listener.onStep("merging into %,d segments a shard".formatted(wanted));
            if (!index.isMerging()) {
                index.beginForceMerge(wanted);
            }
            while (index.isMerging() && !stopped.getAsBoolean()) {
                clock.sleep(POLL);
            }
        }
        int now = index.segmentsMax();
        if (stopped.getAsBoolean()) {
            listener.onWarning("the merge goes on in the cluster");
        } else if (now > wanted) {
            listener.onWarning("the merge ended with %,d segments in a shard, not %,d".formatted(now, wanted));
        } else {
            listener.onStep("%,d segments a shard at most (%.1f s)".formatted(now, seconds(began)));
        }
    }

    /** Waits until every copy is there that the cluster has a node for. */
    Optional<Problem> awaitReplicas(Target.DataNodes nodes) throws InterruptedException {
        long began = clock.nanos();
        long movedAt = began;
        TargetIndex.Health before = null;
        while (!stopped.getAsBoolean()) {
            TargetIndex.Health health = index.health();
            if (health.status().equals("green")) {
                if (before != null) {
                    listener.onStep("replicas are there (%.1f s)".formatted(seconds(began)));
                }
                return Optional.empty();
            }
            if (hasAllItCan(health, nodes)) {
                listener.onStep(
                        "green needs more nodes: %d of data cannot hold all replicas, which is expected and not waited for"
                                .formatted(nodes.count()));
                return Optional.empty();
            }
            if (!health.equals(before)) {
                movedAt = clock.nanos();
                listener.onStep("replicas: %d copies of %d shards, %d being made, %d %% of their bytes there"
                        .formatted(health.active(), health.shards(), health.initializing(), health.recovered()));
            } else if (stalledMax.isPositive() && clock.nanos() - movedAt > stalledMax.toNanos()) {
                return Optional.of(new Problem(
                        ExitCode.SETTINGS_NOT_RESTORED,
                        "%s is %s and its replicas make no progress: see GET /_cluster/allocation/explain"
                                .formatted(index.name(), health.status())));
            }
            before = health;
            clock.sleep(POLL);
        }
        return Optional.empty();
    }

    private static boolean hasAllItCan(TargetIndex.Health health, Target.DataNodes nodes) {
        return health.status().equals("yellow")
                && health.initializing() == 0
                && health.active() >= health.shards() * nodes.count();
    }

    /** Why an alias could never be moved onto the index, before anything is loaded. */
    static void checkAlias(String alias, Target target) {
        SortedSet<String> behind = target.aliases().behind(alias);
        if (behind.isEmpty() && target.find(alias).isPresent()) {
            throw new TargetException(
                    TargetException.Reason.USAGE,
                    "%s is an index, so that no alias can have its name: choose another for --alias".formatted(alias),
                    null);
        }
    }

    /**
     * Moves the alias, all at once, from what it stood for when the job began.
     *
     * @param from what the alias stood for when the job began
     */
    Optional<Problem> cutOver(SortedSet<String> from) throws InterruptedException {
        String alias = plan.alias().orElseThrow();
        String to = index.name();
        SortedSet<String> now = target.aliases().behind(alias);
        if (now.contains(to) && now.size() == 1) {
            listener.onStep("the alias %s stands for %s".formatted(alias, to));
            return deleteOld();
        }
        var old = new TreeSet<>(from);
        old.remove(to);
        if (!now.equals(from)) {
            return Optional.of(new Problem(
                    ExitCode.CUT_OVER,
                    "the alias %s stands for %s and stood for %s when this load began: nothing was changed; run the same command again to cut over from there"
                            .formatted(alias, now, from)));
        }
        Optional<String> left =
                index.enveloped().read().flatMap(EnvelopedIndex.State::journal).map(Journal::owner);
        if (left.isPresent()) {
            return Optional.of(new Problem(
                    ExitCode.SETTINGS_NOT_RESTORED,
                    "%s has the load settings of %s: the alias %s was not moved; run 'penstock restore %s' when that load has ended, then this again"
                            .formatted(to, left.get(), alias, to)));
        }
        String back = target.aliases().rollback(alias, to);
        target.aliases().noteReplaced(to, old);
        Optional<String> why = target.aliases().move(alias, from, to);
        if (!standsForIndexAlone(alias, to)) {
            return Optional.of(new Problem(
                    ExitCode.CUT_OVER,
                    "the alias %s was not moved to %s: %s; the same command tries it again"
                            .formatted(alias, to, why.orElse("the cluster does not show it"))));
        }
        listener.onStep("the alias %s stands for %s now".formatted(alias, to));
        if (!old.isEmpty()) {
            listener.onStep("to go back to %s: %s".formatted(String.join(", ", old), back));
        }
        return deleteOld();
    }

    /** Whatever the request's answer was, only what the cluster shows counts; it may take a while to be published. */
    private boolean standsForIndexAlone(String alias, String to) throws InterruptedException {
        for (int look = 0; look < ALIAS_LOOKS; look++) {
            SortedSet<String> now = target.aliases().behind(alias);
            if (now.size() == 1 && now.contains(to)) {
                return true;
            }
            if (look > 0 && !now.contains(to)) {
                return false;
            }
            clock.sleep(POLL);
        }
        return false;
    }

    /** Deletes indices that were replaced more cut-overs ago than are to be kept, unless an alias stands for them. */
    private Optional<Problem> deleteOld() {
        if (plan.keepOld().isEmpty()) {
            return Optional.empty();
        }
        var known = new TreeSet<String>();
        SortedSet<String> generation = target.aliases().replacedBy(index.name());
        for (int age = 1; !generation.isEmpty() && known.addAll(generation); age++) {
            var older = new TreeSet<String>();
            for (String old : generation) {
                older.addAll(target.aliases().replacedBy(old));
            }
            if (age > plan.keepOld().getAsInt()) {
                generation.forEach(this::delete);
            }
            generation = older;
        }
        return Optional.empty();
    }

    private void delete(String old) {
        target.aliases()
                .deleteUnused(old)
                .ifPresentOrElse(
                        why -> listener.onWarning("the old index %s is kept: %s".formatted(old, why)),
                        () -> listener.onStep("the old index %s is deleted".formatted(old)));
    }

    private double seconds(long sinceNanos) {
        return (clock.nanos() - sinceNanos) / 1e9;
    }
}
