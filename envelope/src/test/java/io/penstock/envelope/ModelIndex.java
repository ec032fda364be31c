package io.penstock.envelope;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** An index in memory that dies at a chosen call, before or after the call took effect, and refuses chosen settings. */
final class ModelIndex implements EnvelopedIndex {
    final TreeMap<String, String> settings = new TreeMap<>(Map.of("index.number_of_replicas", "2"));
    final TreeMap<String, String> clusterSettings = new TreeMap<>();
    final Set<String> refused = new HashSet<>();
    Optional<Journal> journal = Optional.empty();
    boolean gone;
    boolean changedElsewhere;
    int callsUntilCrash = Integer.MAX_VALUE;
    boolean crashAfterEffect;

    /** The process ended here. */
    static final class Crash extends RuntimeException {}

    @Override
    public String name() {
        return "logs";
    }

    @Override
    public Optional<State> read() {
        return call(() -> gone
                ? Optional.<State>empty()
                : Optional.of(new State(new TreeMap<>(settings), new TreeMap<>(clusterSettings), journal)));
    }

    @Override
    public void write(Journal written) {
        call(() -> journal = Optional.of(written));
    }

    @Override
    public void erase() {
        call(() -> journal = Optional.empty());
    }

    @Override
    public Optional<String> change(Map<String, Optional<String>> changes) {
        return call(() -> change(changes, settings));
    }

    @Override
    public Optional<String> changeCluster(Map<String, Optional<String>> changes) {
        return call(() -> change(changes, clusterSettings));
    }

    @Override
    public boolean isClusterChangedElsewhere() {
        return changedElsewhere;
    }

    @Override
    public String request(Map<String, Optional<String>> changes) {
        return "PUT /logs/_settings " + changes;
    }

    private Optional<String> change(Map<String, Optional<String>> changes, Map<String, String> into) {
        for (String name : changes.keySet()) {
            if (refused.contains(name)) {
                return Optional.of(name + " is not allowed here");
            }
        }
        changes.forEach((name, value) -> value.ifPresentOrElse(text -> into.put(name, text), () -> into.remove(name)));
        return Optional.empty();
    }

    private <T> T call(java.util.function.Supplier<T> effect) {
        boolean dies = --callsUntilCrash == 0;
        if (dies && !crashAfterEffect) {
            throw new Crash();
        }
        T result = effect.get();
        if (dies) {
            throw new Crash();
        }
        return result;
    }
}
