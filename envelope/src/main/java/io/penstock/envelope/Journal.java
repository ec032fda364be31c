package io.penstock.envelope;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/**
 * What is written into the mapping's {@code _meta} of an index before any of its settings is changed: who changes what,
 * and what to put back. While the load lives it renews the heartbeat, so that nobody else puts the settings back.
 *
 * @param job id of the job
 * @param host name of the machine it runs on
 * @param token drawn by the process that wrote it; tells two processes of one job apart
 * @param started when the load began
 * @param heartbeat when the load was last known to live, by its own clock
 * @param settings changed index settings by their full names
 * @param clusterSettings changed cluster settings; only while replicas are made
 */
public record Journal(
        String job,
        String host,
        String token,
        Instant started,
        Instant heartbeat,
        Map<String, Change> settings,
        Map<String, Change> clusterSettings) {

    /** How often a living load renews its heartbeat. */
    public static final Duration BEAT = Duration.ofSeconds(30);

    /** Without a heartbeat for so long a load is dead: several beats, and room for clocks that differ. */
    public static final Duration ALIVE = Duration.ofMinutes(3);

    public Journal {
        settings = Map.copyOf(settings);
        clusterSettings = Map.copyOf(clusterSettings);
    }

    /** Whether the load that wrote it must be taken for alive. */
    public boolean isAliveAt(Instant now) {
        return heartbeat.plus(ALIVE).isAfter(now);
    }

    Journal beating(Instant now) {
        return new Journal(job, host, token, started, now, settings, clusterSettings);
    }

    Journal withClusterSettings(Map<String, Change> changed) {
        return new Journal(job, host, token, started, heartbeat, settings, changed);
    }

    /** For people: which load this is. */
    public String owner() {
        return "load %s on %s, begun %s".formatted(job, host, started.truncatedTo(ChronoUnit.SECONDS));
    }
}
