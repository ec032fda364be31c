package io.penstock.job;

import io.penstock.core.time.Clock;
import io.penstock.envelope.Envelope;
import io.penstock.envelope.EnvelopeHeldException;
import io.penstock.envelope.EnvelopedIndex;
import io.penstock.envelope.Journal;
import io.penstock.envelope.LoadSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * An envelope while its load runs: keeps the heartbeat going on a thread of its own, and puts the settings back
 * whatever the cluster does meanwhile, or says what is left to do.
 */
final class HeldEnvelope {
    private static final int TRIES = 5;
    private static final Duration TRYING_MAX = Duration.ofSeconds(10);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);

    private final EnvelopedIndex index;
    private final Envelope envelope;
    private final Job.JobListener listener;
    private final Clock clock;
    private final Thread heartbeat;

    private HeldEnvelope(EnvelopedIndex index, Envelope envelope, Job.JobListener listener, Clock clock) {
        this.index = index;
        this.envelope = envelope;
        this.listener = listener;
        this.clock = clock;
        this.heartbeat = Thread.ofVirtual().name("heartbeat").start(this::beat);
    }

    /**
     * Prepares the envelope; nothing if it cannot be written down, as then nothing may be changed.
     *
     * @param finalPipeline whether the index's final pipeline, if it has one, runs during the load
     * @throws TargetException if another load holds the index
     */
    static Optional<HeldEnvelope> open(
            String job,
            TargetIndex target,
            Target.DataNodes nodes,
            boolean finalPipeline,
            Job.JobListener listener,
            Clock clock) {
        EnvelopedIndex index = target.enveloped();
        Instant now = clock.now();
        var owner = new Journal(job, host(), UUID.randomUUID().toString(), now, now, Map.of(), Map.of());
        try {
            Map<String, String> current =
                    index.read().map(EnvelopedIndex.State::settings).orElse(Map.of());
            Map<String, String> wanted =
                    LoadSettings.of(current, nodes.heapBytesMin(), nodes.freeDiskBytesMin(), finalPipeline);
            Envelope envelope = Envelope.open(index, owner, wanted, listener::onWarning);
            return Optional.of(new HeldEnvelope(index, envelope, listener, clock));
        } catch (EnvelopeHeldException e) {
            throw new TargetException(TargetException.Reason.REFUSES, String.valueOf(e.getMessage()), e);
        } catch (TargetException e) {
            if (e.reason() != TargetException.Reason.REFUSES) {
                throw e;
            }
            listener.onWarning("loading with the settings that %s has, as they cannot be written down first: %s"
                    .formatted(index.name(), e.getMessage()));
            return Optional.empty();
        }
    }

    /** Puts back what an earlier run of the same load left, when this one changes none. Another host's may be alive. */
    static void recoverOwn(String job, TargetIndex target, Instant now) {
        EnvelopedIndex index = target.enveloped();
        boolean own = journal(target)
                .filter(journal -> journal.job().equals(job))
                .filter(journal -> journal.host().equals(host()) || !journal.isAliveAt(now))
                .isPresent();
        if (own && Envelope.recover(index) instanceof Envelope.Ending.Pending pending) {
            throw new TargetException(TargetException.Reason.REFUSES, pending(index.name(), pending), null);
        }
    }

    /**
     * Whether whoever holds an index renews its heartbeat. One that was killed a moment ago looks alive for minutes,
     * and may be our own predecessor on a host of another name.
     */
    static boolean isHeldByTheLiving(TargetIndex target, Clock clock) {
        Optional<Journal> first = journal(target);
        Optional<Journal> now = first;
        while (now.isPresent()
                && now.equals(first)
                && now.filter(each -> each.isAliveAt(clock.now())).isPresent()) {
            try {
                clock.sleep(BETWEEN_TRIES);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return true;
            }
            now = journal(target);
        }
        return now.isPresent() && !now.equals(first);
    }

    private static Optional<Journal> journal(TargetIndex target) {
        return target.enveloped().read().flatMap(EnvelopedIndex.State::journal);
    }

    /** Puts it on; if that fails it is to be closed all the same. */
    void putOn() {
        envelope.putOn(listener::onWarning);
    }

    private void beat() {
        while (true) {
            try {
                clock.sleep(Journal.BEAT);
                envelope.beat(clock.now());
            } catch (InterruptedException e) {
                return;
            } catch (TargetException e) {
                // The next beat may come through; meanwhile the load itself says what is wrong with the cluster.
            }
        }
    }

    /** Settings of the index as they were, and the cluster ready to make replicas fast. Says why not. */
    Optional<String> beginReplicas(Target.DataNodes nodes) {
        Optional<String> problem = tried(envelope::restoreIndexSettings);
        if (problem.isEmpty() && nodes.count() > 1) {
            envelope.openReplicaStep(LoadSettings.ofReplicaStep(), listener::onWarning);
        }
        return problem;
    }

    /** Takes the envelope off. Says what could not be put back, and how to do it. */
    Optional<String> close() {
        heartbeat.interrupt();
        Optional<String> problem = tried(envelope::close);
        if (problem.isPresent()) {
            abandon();
        }
        return problem;
    }

    /** So that 'penstock restore' need not take us for alive. */
    private void abandon() {
        try {
            envelope.abandon();
        } catch (TargetException e) {
            // Then it has to wait until the last heartbeat is old.
        }
    }

    private Optional<String> tried(java.util.function.Supplier<Envelope.Ending> attempt) {
        String problem = "";
        long began = clock.nanos();
        for (int left = TRIES; left > 0; left--) {
            try {
                switch (attempt.get()) {
                    case Envelope.Ending.Restored restored -> {
                        restored.theirs()
                                .forEach((name, value) ->
                                        listener.onWarning("%s of %s was changed to %s during the load, and stays so"
                                                .formatted(name, index.name(), value)));
                        return Optional.empty();
                    }
                    case Envelope.Ending.Gone gone -> {
                        listener.onWarning("the index %s is gone, and its settings with it".formatted(index.name()));
                        return Optional.empty();
                    }
                    case Envelope.Ending.Nothing nothing -> {
                        return Optional.empty();
                    }
                    case Envelope.Ending.Pending pending -> problem = pending(index.name(), pending);
                }
            } catch (TargetException e) {
                problem = "the settings of %s are not put back: %s; run 'penstock restore %s' when it answers"
                        .formatted(index.name(), e.getMessage(), index.name());
            }
            if (clock.nanos() - began > TRYING_MAX.toNanos()) {
                break; // a cluster that hangs will not answer the next time
            }
            if (left > 1) {
                pause();
            }
        }
        return Optional.of(problem);
    }

    private void pause() {
        try {
            clock.sleep(BETWEEN_TRIES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** For people: why settings are not back, and what to do. */
    static String pending(String index, Envelope.Ending.Pending pending) {
        return "the settings of %s are not put back (%s); later, 'penstock restore %s' does it, or: %s"
                .formatted(index, pending.why(), index, pending.request());
    }

    static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown host";
        }
    }
}
