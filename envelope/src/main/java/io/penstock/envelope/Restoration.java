package io.penstock.envelope;

import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What is to be done to put settings back.
 *
 * @param puts values to set; empty takes a setting away
 * @param theirs settings that somebody changed by hand during the load, with the value that stays
 */
public record Restoration(SortedMap<String, Optional<String>> puts, SortedMap<String, String> theirs) {
    /**
     * Compares what was written down with what is there. A value that is still ours goes back; one that already is what
     * it was is left; any other is somebody's decision, and stays.
     */
    public static Restoration of(Map<String, Change> changes, Map<String, String> current) {
        var puts = new TreeMap<String, Optional<String>>();
        var theirs = new TreeMap<String, String>();
        changes.forEach((name, change) -> {
            Optional<String> now = Optional.ofNullable(current.get(name));
            if (now.equals(change.before())) {
                return;
            }
            if (now.equals(Optional.of(change.during()))) {
                puts.put(name, change.before());
            } else {
                theirs.put(name, now.orElse("not set"));
            }
        });
        return new Restoration(puts, theirs);
    }
}
