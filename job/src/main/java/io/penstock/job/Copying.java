package io.penstock.job;

import io.penstock.core.checkpoint.Checkpoint;
import io.penstock.core.checkpoint.CheckpointStore;
import io.penstock.core.checkpoint.DurabilityBarrier;
import io.penstock.core.checkpoint.PartitionMark;
import io.penstock.core.event.LoadEvent;
import io.penstock.core.fate.Counts;
import io.penstock.core.source.Partition;
import io.penstock.core.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Has a cluster copy slices by itself, some at once, and notes each one that is whole and safe. A slice that does not
 * become whole, for whatever reason, is copied again from its beginning; one with a document that the new index refuses
 * is left to the load, which knows what to do with single documents.
 */
final class Copying {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration STRAYS_MAX = Duration.ofMinutes(1);
    private static final Duration REST_MIN = Duration.ofSeconds(1);
    private static final Duration REST_MAX = Duration.ofSeconds(30);
    /** With the rests between them about ten minutes. */
    private static final int FAILURES_MAX = 25;

    private final JobPlan plan;
    private final ServerCopy copy;
    private final TargetIndex index;
    private final String into;
    private final boolean guarded;
    private final CheckpointStore store;
    private final Job.JobListener listener;
    private final Clock clock;
    private final BooleanSupplier stopped;

    private final Deque<Integer> waiting = new ArrayDeque<>();
    private final List<Running> running = new ArrayList<>();
    private final List<Running> copied = new ArrayList<>();
    private final Set<Integer> begunBefore = new HashSet<>();
    private final Set<Integer> refused = new HashSet<>();
    private Checkpoint at;
    private DurabilityBarrier barrier = DurabilityBarrier.NONE;
    private double rate;
    private long advancedAt;
    private long copiedLast;
    private String trouble = "";
    private int failuresInARow;
    private long restUntil;
    private int atOnce;

    /**
     * @param into the name that is written to
     * @param guarded whether that is an alias of this job alone
     * @param start slices that are done in it are passed over
     */
    Copying(
            JobPlan plan,
            ServerCopy copy,
            TargetIndex index,
            String into,
            boolean guarded,
            CheckpointStore store,
            Checkpoint start,
            Job.JobListener listener,
            Clock clock,
            BooleanSupplier stopped) {
        this.plan = plan;
        this.copy = copy;
        this.index = index;
        this.into = into;
        this.guarded = guarded;
        this.store = store;
        this.at = start;
        this.listener = listener;
        this.clock = clock;
        this.stopped = stopped;
    }

    /** A slice under way. */
    private static final class Running {
        final int slice;
        final String task;
        ServerCopy.Progress progress = new ServerCopy.Progress(false, 0, 0, 0, 0, 0, false, Optional.empty());

        Running(int slice, String task) {
            this.slice = slice;
            this.task = task;
        }
    }

    /**
     * Copies until there is nothing left to copy this way, or somebody stops the job.
     *
     * @param resumed whether an earlier run may have begun any of the slices
     * @throws TargetException if the cluster refuses it, or was unusable for too long
     */
    void run(boolean resumed) throws InterruptedException {
        for (Partition slice : plan.source().partitions()) {
            if (!at.marks().get(slice.ordinal()).done()) {
                waiting.add(slice.ordinal());
                if (resumed) {
                    begunBefore.add(slice.ordinal());
                }
            }
        }
        try {
            endStrays();
            barrier = index.hasAsyncTranslog() ? index.barrier() : DurabilityBarrier.NONE;
            atOnce = copy.atOnce();
            rate = documentsPerSecondEach();
            advancedAt = clock.nanos();
            restUntil = advancedAt;
            while (!isDone() && !stopped.getAsBoolean()) {
                step();
                clock.sleep(POLL);
            }
        } finally {
            endStraysQuietly();
        }
        if (!refused.isEmpty()) {
            listener.onWarning("the new index refuses documents of %d slices: Penstock reads these itself, to see which"
                    .formatted(refused.size()));
        }
    }

    /** How far it came; slices with documents that were refused are still open in it. */
    Checkpoint at() {
        return at;
    }

    private boolean isDone() {
        return waiting.isEmpty() && running.isEmpty() && copied.isEmpty();
    }

    /** One look at everything under way; what the cluster cannot answer now it is asked again. */
    private void step() {
        try {
            begin();
            look();
            makeSafe();
            rethrottle();
        } catch (TargetException e) {
            if (e.reason() != TargetException.Reason.UNUSABLE) {
                throw e;
            }
            onTrouble(String.valueOf(e.getMessage()));
        }
        long now = copiedNow();
        int slices = plan.source().partitions().size();
        int begun = slices - waiting.size();
        listener.on(new LoadEvent.Copied(
                now, begun == 0 ? 0 : totalOfBegun() * slices / begun, begun - running.size(), slices));
        if (now > copiedLast) {
            advancedAt = clock.nanos();
        }
        copiedLast = now;
        boolean stalled = !plan.outageMax().isZero()
                && clock.nanos() - advancedAt > plan.outageMax().toNanos();
        if (!trouble.isEmpty() && (stalled || failuresInARow >= FAILURES_MAX)) {
            throw new TargetException(
                    TargetException.Reason.UNUSABLE,
                    "copying does not come on: %s; the same command goes on from here".formatted(trouble),
                    null);
        }
    }

    private void onTrouble(String what) {
        if (trouble.isEmpty()) {
            advancedAt = clock.nanos();
        }
        if (!what.equals(trouble)) {
            listener.onWarning(what + "; trying again");
        }
        trouble = what;
    }

    private long copiedNow() {
        return at.counts().read()
                + running.stream().mapToLong(slice -> slice.progress.copied()).sum()
                + copied.stream().mapToLong(slice -> slice.progress.copied()).sum();
    }

    private long totalOfBegun() {
        return at.counts().read()
                + running.stream().mapToLong(slice -> slice.progress.total()).sum()
                + copied.stream().mapToLong(slice -> slice.progress.total()).sum();
    }

    private void begin() {
        while (running.size() < atOnce && !waiting.isEmpty() && clock.nanos() - restUntil >= 0) {
            int slice = waiting.element();
            Partition partition = plan.source().partitions().get(slice);
            Optional<String> task = copy.begin(partition, into, guarded, rate);
            if (task.isEmpty()) {
                begunBefore.add(slice);
                throw new TargetException(TargetException.Reason.UNUSABLE, "a copy may not have begun", null);
            }
            waiting.remove();
            running.add(new Running(slice, task.get()));
        }
    }

    private void look() {
        for (Running slice : List.copyOf(running)) {
            Optional<ServerCopy.Progress> progress = copy.progress(slice.task);
            if (progress.isEmpty()) {
                again(slice, "the node that copied a slice is gone");
                continue;
            }
            slice.progress = progress.get();
            if (!slice.progress.ended()) {
                continue;
            }
            if (slice.progress.refused()) {
                running.remove(slice);
                refused.add(slice.slice);
            } else if (slice.progress.failure().isPresent()) {
                again(
                        slice,
                        "a slice was not copied: " + slice.progress.failure().get());
            } else {
                running.remove(slice);
                copied.add(slice);
                trouble = "";
                failuresInARow = 0;
            }
        }
    }

    private void again(Running slice, String why) {
        running.remove(slice);
        begunBefore.add(slice.slice);
        waiting.addLast(slice.slice);
        restUntil = clock.nanos() + Math.min(REST_MAX.toNanos(), REST_MIN.toNanos() << Math.min(failuresInARow, 10));
        failuresInARow++;
        onTrouble(why);
    }

    private void makeSafe() {
        if (copied.isEmpty()) {
            return;
        }
        switch (barrier.makeDurable()) {
            case DurabilityBarrier.Durability.Safe safe -> {
                note();
                copied.clear();
            }
            case DurabilityBarrier.Durability.NotYet notYet -> onTrouble(notYet.why());
            case DurabilityBarrier.Durability.Lost lost -> {
                listener.onWarning(lost.why() + "; copying again what was not yet safe");
                for (Running slice : running) {
                    copy.cancel(slice.task);
                }
                running.addAll(copied);
                copied.clear();
                for (Running slice : running) {
                    begunBefore.add(slice.slice);
                    waiting.addLast(slice.slice);
                }
                running.clear();
                barrier = index.barrier();
            }
        }
    }

    private void note() {
        var marks = new ArrayList<>(at.marks());
        Counts counts = at.counts();
        for (Running slice : copied) {
            PartitionMark mark = marks.get(slice.slice);
            marks.set(slice.slice, new PartitionMark(mark.name(), mark.fingerprint(), mark.position(), true));
            counts = counts.plus(counts(slice));
        }
        at = new Checkpoint(at.facts(), marks, counts);
        store.write(at);
        listener.on(new LoadEvent.BatchSettled(counts));
    }

    /** What was there already in a slice that was begun before is the work of its earlier copy. */
    private Counts counts(Running slice) {
        ServerCopy.Progress done = slice.progress;
        boolean ours = begunBefore.contains(slice.slice);
        long perhapsOurs = ours ? done.superseded() : 0;
        return new Counts(
                done.copied(),
                done.created(),
                done.updated() + perhapsOurs,
                perhapsOurs,
                0,
                0,
                done.superseded() - perhapsOurs,
                0,
                0,
                done.retries(),
                0,
                0,
                done.copied());
    }

    private double documentsPerSecondEach() {
        return plan.rate().documentsPerSecond() / atOnce;
    }

    private void rethrottle() {
        double now = documentsPerSecondEach();
        if (now != rate) {
            rate = now;
            running.forEach(slice -> copy.rethrottle(slice.task, now));
        }
    }

    // ---- tasks nobody waits for ---------------------------------------------------------------------------------

    /** Ends what an earlier run, or a request whose answer was lost, left at work. */
    private void endStrays() throws InterruptedException {
        if (!guarded) {
            return; // under its own name the index may be copied into by others
        }
        long until = clock.nanos() + STRAYS_MAX.toNanos();
        for (List<String> tasks = copy.tasks(into); !tasks.isEmpty(); tasks = copy.tasks(into)) {
            if (clock.nanos() > until) {
                throw new TargetException(
                        TargetException.Reason.UNUSABLE,
                        "copies of an earlier run do not end: see GET /_tasks?actions=*reindex",
                        null);
            }
            tasks.forEach(copy::cancel);
            clock.sleep(POLL);
        }
    }

    private void endStraysQuietly() throws InterruptedException {
        try {
            endStrays();
        } catch (TargetException e) {
            listener.onWarning("copies may go on in the cluster: %s".formatted(e.getMessage()));
        }
    }
}
