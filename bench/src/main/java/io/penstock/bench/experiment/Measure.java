package io.penstock.bench.experiment;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What can be measured of one run. */
public enum Measure {
    DOCS_PER_SECOND("documents/s", "", 0, true),
    SECONDS("whole load", "s", 1, false),
    P50_MS("median of a bulk", "ms", 1, false),
    P99_MS("p99 of a bulk", "ms", 1, false),
    REJECTED_PERCENT("documents rejected", "%", 2, false),
    CLIENT_CPU("CPU of the loader per million documents", "s", 2, false),
    CLIENT_MB("peak memory of the loader", "MB", 0, false),
    SERVER_CPU("CPU of the servers per million documents", "s", 1, false),
    HEAP_MB("largest heap in use on the servers", "MB", 0, false),
    DISK_MB("on disk after the load", "MB", 1, false),
    SEGMENTS("segments after the load", "", 0, false),
    QUERY_P50_MS("median query during the load", "ms", 1, false),
    MERGE_SECONDS("force-merge", "s", 1, false),
    MERGED_MB("on disk after the force-merge", "MB", 1, false),
    MERGED_SEGMENTS("segments after the force-merge", "", 0, false),
    MERGED_SIZE("size after the force-merge, times that before", "", 3, false),
    MERGED_QUERY("query after the force-merge, times that before", "", 2, false),
    QUIET_QUERY_MS("median query before the force-merge", "ms", 2, false),
    MERGED_QUERY_MS("median query after the force-merge", "ms", 2, false);

    private final String label;
    private final String unit;
    private final int decimals;
    private final boolean moreIsBetter;

    Measure(String label, String unit, int decimals, boolean moreIsBetter) {
        this.label = label;
        this.unit = unit;
        this.decimals = decimals;
        this.moreIsBetter = moreIsBetter;
    }

    /** What it is, and in which unit. */
    public String label() {
        return unit.isEmpty() ? label : label + ", " + unit;
    }

    /** In a sentence. */
    public String sentence(double value) {
        return label + " " + text(value) + (unit.isEmpty() ? "" : " " + unit);
    }

    public boolean moreIsBetter() {
        return moreIsBetter;
    }

    /** As it is written in files. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** A value for people. */
    public String text(double value) {
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }

    /** The one of this name. */
    static Measure of(String key) {
        return Arrays.stream(values())
                .filter(measure -> measure.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no measure '%s': take %s"
                        .formatted(
                                key, Arrays.stream(values()).map(Measure::key).collect(Collectors.joining(", ")))));
    }
}
