package io.penstock.job;

import io.penstock.core.time.Clock;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.BooleanSupplier;

/** Takes a counted index the rest of its way: merged, with its own settings and replicas, behind its alias. */
final class Serving {
    private final JobPlan plan;
    private final Target target;
    private final Job.JobListener listener;
    private final Clock clock;
    private final Troubles troubles;
    private final BooleanSupplier stopped;

    Serving(
            JobPlan plan,
            Target target,
            Job.JobListener listener,
            Clock clock,
            Troubles troubles,
            BooleanSupplier stopped) {
        this.plan = plan;
        this.target = target;
        this.listener = listener;
        this.clock = clock;
        this.troubles = troubles;
        this.stopped = stopped;
    }

    /** From a counted index to one that serves, but for the alias. */
    void finish(TargetIndex index, Optional<HeldEnvelope> envelope) {
        boolean serves = envelope.isPresent() || plan.finish().alias().isPresent();
        try {
            Finish finish = finishOf(index);
            finish.forceMerge();
            if (!serves || stopped.getAsBoolean()) {
                return;
            }
            Target.DataNodes nodes = target.dataNodes();
            Optional<String> unsettled = envelope.flatMap(held -> held.beginReplicas(nodes));
            unsettled.ifPresent(troubles::notRestored);
            if (unsettled.isEmpty()) {
                finish.awaitReplicas(nodes).ifPresent(problem -> troubles.fail(problem.exit(), problem.message()));
            }
        } catch (TargetException e) {
            troubles.fail(e.exitCode(), String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Moves the alias. */
    void cutOver(TargetIndex index, SortedSet<String> behindAlias) {
        try {
            finishOf(index).cutOver(behindAlias).ifPresent(problem -> troubles.fail(problem.exit(), problem.message()));
        } catch (TargetException e) {
            troubles.fail(ExitCode.CUT_OVER, "the alias may not have moved: %s".formatted(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Finish finishOf(TargetIndex index) {
        return new Finish(plan.finish(), target, index, plan.outageMax(), listener, clock, stopped);
    }
}
