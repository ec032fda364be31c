package io.penstock.job;

import io.penstock.core.checkpoint.Checkpoint;
import io.penstock.core.fate.Counts;
import io.penstock.core.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Holds what an index has against what was loaded; what does not fit is a trouble. */
final class Checks {
    private final JobPlan plan;
    private final Job.JobListener listener;
    private final Clock clock;
    private final Troubles troubles;

    Checks(JobPlan plan, Job.JobListener listener, Clock clock, Troubles troubles) {
        this.plan = plan;
        this.listener = listener;
        this.clock = clock;
        this.troubles = troubles;
    }

    /** Counts what is in the index; an empty answer if that was not possible. */
    Optional<JobReport.Verified> verify(JobFolder folder, TargetIndex index, Checkpoint start, Counts counts) {
        listener.onStep("counting");
        long before = Long.parseLong(start.facts().getOrDefault(JobFolder.BEFORE_FACT, "0"));
        boolean ownIds = !plan.serverIds() && counts.named() == 0;
        boolean resent = counts.retried() > 0 || start.counts().read() > 0 || counts.perhapsOurs() > 0;
        Verification verification = Verification.of(before, counts, ownIds, resent);
        boolean lettersTwice =
                counts.deadLettered() > 0 && (resent || plan.catchUp().isPresent());
        try {
            long counted = index.countAfterRefresh();
            OptionalLong inSource = before == 0 ? plan.source().documents() : OptionalLong.empty();
            long missing = inSource.isPresent() ? inSource.getAsLong() - counts.deadLettered() - counted : 0;
            // What is read again and refused again has two dead letters.
            if (missing > 0 || (missing < 0 && !(lettersTwice && counted <= inSource.getAsLong()))) {
                troubles.fail(
                        ExitCode.VERIFICATION,
                        "%s holds %,d documents and %s %,d: nothing was cut over; look at what else writes to them, then --restart%s"
                                .formatted(
                                        index.name(),
                                        counted,
                                        plan.source().name(),
                                        inSource.getAsLong(),
                                        missing > 0 ? missing(index, counts) : ""));
                return Optional.of(new JobReport.Verified(inSource.getAsLong(), counted));
            }
            if (JobFolder.isVerified(start)) {
                return Optional.of(new JobReport.Verified(counted, counted));
            }
            if (!verification.fits(counted) && verification.binding() && !isShared()) {
                troubles.fail(
                        ExitCode.VERIFICATION,
                        "the index holds %,d documents where %,d belong: somebody else writes to %s, or documents were lost after they were acknowledged%s"
                                .formatted(
                                        counted,
                                        verification.expected(counted),
                                        index.name(),
                                        counted < verification.least() ? missing(index, counts) : ""));
            } else if (plan.source().isResumable() && plan.live().isEmpty()) {
                folder.markVerified();
            }
            return Optional.of(new JobReport.Verified(verification.expected(counted), counted));
        } catch (TargetException e) {
            troubles.fail(ExitCode.VERIFICATION, "the documents could not be counted: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** Which documents are missing, where that can be known: not of a pipe, nor with ids that only the server knows. */
    private String missing(TargetIndex index, Counts counts) {
        if (!plan.source().isResumable() || plan.live().isPresent() || plan.serverIds() || counts.deleted() > 0) {
            return "";
        }
        listener.onStep("looking for what is missing");
        List<String> missing = new MissingDocuments(plan.source(), plan.index(), index, clock).first();
        return missing.isEmpty()
                ? ""
                : "; not there are%s: %s"
                        .formatted(
                                counts.deadLettered() > 0 ? ", dead letters among them" : "",
                                String.join(", ", missing));
    }

    /** Compares what was read with what the index has. */
    void compare(TargetIndex index, Optional<List<SampledDocument>> sample) {
        List<SampledDocument> documents = sample.orElse(List.of());
        if (documents.isEmpty()) {
            listener.onWarning("no documents were read in this run, so that none can be read back and compared");
            return;
        }
        try {
            List<String> differences = index.differences(documents, plan.pipeline());
            if (differences.isEmpty()) {
                listener.onStep("%,d documents read back and compared".formatted(documents.size()));
            } else {
                troubles.fail(
                        ExitCode.VERIFICATION,
                        "%,d of %,d documents that were read back are not what was read: %s; somebody else writes to %s, or documents were lost"
                                .formatted(differences.size(), documents.size(), differences.get(0), index.name()));
            }
        } catch (TargetException e) {
            troubles.fail(ExitCode.VERIFICATION, "documents could not be read back: " + e.getMessage());
        }
    }

    /** The same while the load goes on, with room for what is written while it is counted. */
    void verifyMeanwhile(Loading into, TargetIndex index, Checkpoint start) {
        long before = Long.parseLong(start.facts().getOrDefault(JobFolder.BEFORE_FACT, "0"));
        Counts earlier = into.settled();
        try {
            long counted = index.countAfterRefresh();
            Counts later = into.settled();
            long room = later.read() - earlier.read() + into.underWay();
            Verification least = Verification.of(before, earlier, false, true);
            Verification most = Verification.of(before, later, false, true);
            boolean fits = counted >= least.least() - room && counted <= most.most() + room;
            if (!fits && least.binding() && most.binding() && !isShared()) {
                troubles.fail(
                        ExitCode.VERIFICATION,
                        "the index holds %,d documents where %,d to %,d belong: somebody else writes to %s, or documents were lost; the alias was not moved"
                                .formatted(counted, least.least() - room, most.most() + room, index.name()));
            }
        } catch (TargetException e) {
            if (!Thread.currentThread().isInterrupted()) { // else the load ends, and says itself how
                troubles.fail(ExitCode.VERIFICATION, "the documents could not be counted: " + e.getMessage());
            }
        }
    }

    /** Whether other readers of the same source wrote to the index: their documents are counted with ours. */
    private boolean isShared() {
        return plan.live().filter(live -> live.source().isShared()).isPresent();
    }
}
