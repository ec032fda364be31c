package io.penstock.envelope;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The temporary settings of one load on one index. In this order, so that a crash between any two steps leaves what
 * {@link #recover} puts back: the journal is written, settings are changed; later settings are put back, the journal is
 * taken away.
 *
 * <p>Thread-safe: a heartbeat may come while the settings are put back. Exceptions of the port pass through.
 */
public final class Envelope {
    private final EnvelopedIndex index;
    private final ReentrantLock lock = new ReentrantLock();
    private Journal journal;
    private boolean closed;

    private Envelope(EnvelopedIndex index, Journal journal) {
        this.index = index;
        this.journal = journal;
    }

    /** How an attempt to put settings back ended. */
    public sealed interface Ending {
        /**
         * All is as it was, or as somebody else wants it.
         *
         * @param puts what was put back
         * @param theirs settings that somebody changed during the load, which stay
         */
        record Restored(SortedMap<String, Optional<String>> puts, SortedMap<String, String> theirs) implements Ending {}

        /**
         * The cluster refuses for now; the journal is kept.
         *
         * @param why in the cluster's words
         * @param request what to send once it takes it
         */
        record Pending(String why, String request) implements Ending {}

        /** The index is gone, and its settings with it. */
        record Gone() implements Ending {}

        /** There is no journal, or not ours any more. */
        record Nothing() implements Ending {}
    }

    /**
     * Takes an index for an envelope, and writes down what it will change; {@link #putOn} changes it.
     *
     * @param owner the journal to write, without settings
     * @param wanted settings during the load
     * @param told hears what a person should know
     * @throws EnvelopeHeldException if another load holds the index
     */
    public static Envelope open(
            EnvelopedIndex index, Journal owner, Map<String, String> wanted, Consumer<String> told) {
        EnvelopedIndex.State state = take(index, owner, told);
        var changes = new TreeMap<String, Change>();
        wanted.forEach((name, during) -> {
            Optional<String> before = Optional.ofNullable(state.settings().get(name));
            if (!before.equals(Optional.of(during))) {
                changes.put(name, new Change(before, during));
            }
        });
        var journal = new Journal(
                owner.job(), owner.host(), owner.token(), owner.started(), owner.heartbeat(), changes, Map.of());
        index.write(journal);
        var envelope = new Envelope(index, journal);
        if (!envelope.isStillOurs()) {
            throw new EnvelopeHeldException(
                    "another load of %s began at the same moment: run this one again when it has ended"
                            .formatted(index.name()));
        }
        return envelope;
    }

    /**
     * Puts the envelope on. If that fails, some settings may be changed or be so later: {@link #close} puts them back.
     *
     * @param told hears what a person should know
     */
    public void putOn(Consumer<String> told) {
        change(journal.settings(), index::change, told);
    }

    /** Refuses an index that a living load holds, and puts back what a dead one left. */
    private static EnvelopedIndex.State take(EnvelopedIndex index, Journal owner, Consumer<String> told) {
        EnvelopedIndex.State state = read(index);
        if (state.journal().isEmpty()) {
            return state;
        }
        Journal found = state.journal().get();
        boolean deadSelf = found.job().equals(owner.job()) && found.host().equals(owner.host());
        if (!deadSelf && found.isAliveAt(owner.heartbeat())) {
            throw new EnvelopeHeldException(
                    "%s is being loaded by another %s: wait for it to end, or use --keep-settings"
                            .formatted(index.name(), found.owner()));
        }
        told.accept("putting back the settings of %s that %s left behind".formatted(index.name(), found.owner()));
        if (restore(index, state, found) instanceof Ending.Pending pending) {
            throw new EnvelopeHeldException("%s still has the settings of an earlier %s, which cannot be put back: %s"
                    .formatted(index.name(), found.owner(), pending.why()));
        }
        return read(index);
    }

    private static EnvelopedIndex.State read(EnvelopedIndex index) {
        return index.read().orElseThrow(() -> new EnvelopeHeldException("the index " + index.name() + " is gone"));
    }

    /** All in one request; if that is refused, one by one, as managed services refuse single settings. */
    private void change(Map<String, Change> changes, Changer changer, Consumer<String> told) {
        var puts = new TreeMap<String, Optional<String>>();
        changes.forEach((name, change) -> puts.put(name, Optional.of(change.during())));
        if (puts.isEmpty() || changer.change(puts).isEmpty()) {
            return;
        }
        puts.forEach((name, value) -> changer.change(Map.of(name, value))
                .ifPresent(why -> told.accept("loading without %s=%s: %s".formatted(name, value.orElse(""), why))));
    }

    private boolean isStillOurs() {
        return index.read()
                .flatMap(EnvelopedIndex.State::journal)
                .filter(found -> found.token().equals(journal.token()))
                .isPresent();
    }

    /** Says that the load lives; does nothing once the settings were put back. */
    public void beat(Instant now) {
        lock.lock();
        try {
            if (!closed && isStillOurs()) {
                journal = journal.beating(now);
                index.write(journal);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Says that nobody but {@link #recover} puts the settings back any more, unless {@link #close} does after all. */
    public void abandon() {
        lock.lock();
        try {
            if (!closed && isStillOurs()) {
                journal = journal.beating(Instant.EPOCH);
                index.write(journal);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Index settings as they were; the journal stays, for the replica step. */
    public Ending restoreIndexSettings() {
        lock.lock();
        try {
            Optional<EnvelopedIndex.State> state = index.read();
            if (state.isEmpty()) {
                return new Ending.Gone();
            }
            Restoration restoration =
                    Restoration.of(journal.settings(), state.get().settings());
            Optional<Ending> pending = put(index, restoration.puts());
            return pending.orElseGet(() -> new Ending.Restored(restoration.puts(), restoration.theirs()));
        } finally {
            lock.unlock();
        }
    }

    /** Lets the cluster make replicas faster, unless another load does already; written down first. */
    public void openReplicaStep(Map<String, String> wanted, Consumer<String> told) {
        lock.lock();
        try {
            Optional<EnvelopedIndex.State> state = index.read();
            if (closed || state.isEmpty() || index.isClusterChangedElsewhere()) {
                return;
            }
            var changes = new TreeMap<String, Change>();
            wanted.forEach((name, during) -> changes.put(
                    name,
                    new Change(Optional.ofNullable(state.get().clusterSettings().get(name)), during)));
            journal = journal.withClusterSettings(changes);
            index.write(journal);
            change(changes, index::changeCluster, told);
        } finally {
            lock.unlock();
        }
    }

    /** Takes the envelope off: puts back what is still ours, then takes the journal away. May be called again. */
    public Ending close() {
        lock.lock();
        try {
            if (closed) {
                return new Ending.Nothing();
            }
            Optional<EnvelopedIndex.State> state = index.read();
            if (state.isEmpty()) {
                closed = true;
                return new Ending.Gone();
            }
            if (!state.get().journal().map(Journal::token).equals(Optional.of(journal.token()))) {
                closed = true;
                return new Ending.Nothing();
            }
            Ending ending = restore(index, state.get(), journal);
            closed = !(ending instanceof Ending.Pending);
            return ending;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Puts back what a dead load left on an index, whoever it was and wherever it ran.
     *
     * @return {@link Ending.Nothing} if there is nothing
     */
    public static Ending recover(EnvelopedIndex index) {
        Optional<EnvelopedIndex.State> state = index.read();
        if (state.isEmpty()) {
            return new Ending.Gone();
        }
        Optional<Journal> journal = state.get().journal();
        return journal.isEmpty() ? new Ending.Nothing() : restore(index, state.get(), journal.get());
    }

    private static Ending restore(EnvelopedIndex index, EnvelopedIndex.State state, Journal journal) {
        Restoration cluster = Restoration.of(journal.clusterSettings(), state.clusterSettings());
        if (!cluster.puts().isEmpty()) {
            Optional<String> refused = index.changeCluster(cluster.puts());
            if (refused.isPresent()) {
                return new Ending.Pending(refused.get(), "penstock restore " + index.name());
            }
        }
        Restoration restoration = Restoration.of(journal.settings(), state.settings());
        Optional<Ending> pending = put(index, restoration.puts());
        if (pending.isPresent()) {
            return pending.get();
        }
        index.erase();
        var theirs = new TreeMap<>(restoration.theirs());
        theirs.putAll(cluster.theirs());
        return new Ending.Restored(restoration.puts(), theirs);
    }

    private static Optional<Ending> put(EnvelopedIndex index, Map<String, Optional<String>> puts) {
        if (puts.isEmpty()) {
            return Optional.empty();
        }
        return index.change(puts).map(why -> new Ending.Pending(why, index.request(puts)));
    }

    @FunctionalInterface
    private interface Changer {
        Optional<String> change(Map<String, Optional<String>> settings);
    }
}
