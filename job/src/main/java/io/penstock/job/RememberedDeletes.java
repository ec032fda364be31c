package io.penstock.job;

import io.penstock.core.time.Durations;
import java.time.Duration;
import java.util.Optional;

/**
 * How long an index remembers what was deleted from it. Until then an external version keeps a late older document out;
 * afterwards it comes back, as a new one (OpenSearch 3.6.0, {@code index.gc_deletes}).
 *
 * @param index its name
 * @param time as the server writes it
 */
public record RememberedDeletes(String index, String time) {
    /** The setting. */
    public static final String SETTING = "index.gc_deletes";

    /** What an index that is created for a topic gets: a load tries for {@code --max-outage} at most. */
    public static final String FOR_TOPICS = "1h";

    /** In OpenSearch and Elasticsearch alike ({@code IndexSettings.DEFAULT_GC_DELETES}). */
    static final String SERVERS_DEFAULT = "60s";

    static RememberedDeletes of(TargetIndex index) {
        return new RememberedDeletes(
                index.name(),
                index.enveloped()
                        .read()
                        .map(state -> state.settings().getOrDefault(SETTING, SERVERS_DEFAULT))
                        .orElse(SERVERS_DEFAULT));
    }

    /**
     * What to tell a person when a write may be tried for longer than that.
     *
     * @param outageMax how long a write is tried; zero for as long as it takes
     */
    Optional<String> warning(Duration outageMax) {
        if (!outageMax.isZero() && !isShorterThan(outageMax)) {
            return Optional.empty();
        }
        String tried = outageMax.isZero() ? "for ever" : "for %,d s".formatted(outageMax.toSeconds());
        return Optional.of(
                "%s forgets after %s what was deleted (%s), and a write may be tried %s (--max-outage): set it longer, or a late one can bring a document back"
                        .formatted(index, time, SETTING, tried));
    }

    private boolean isShorterThan(Duration other) {
        try {
            return Durations.parse(time).compareTo(other) < 0;
        } catch (IllegalArgumentException e) {
            return false; // servers take more forms than people write; this only warns
        }
    }
}
