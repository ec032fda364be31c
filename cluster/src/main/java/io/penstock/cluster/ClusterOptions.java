package io.penstock.cluster;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How a cluster is reached.
 *
 * @param targets addresses of one or more of its nodes, or of what stands in front of them; {@code http} or
 *     {@code https}, with an optional path prefix
 * @param credentials what is sent with each request
 * @param tls how {@code https} is trusted
 * @param sniff whether to find the other nodes and share the work between them
 * @param requestDeadline total time of one request, from connecting to the last byte of the answer; longer than the
 *     minute a server may wait for a primary shard
 */
public record ClusterOptions(
        List<URI> targets, Credentials credentials, Tls tls, boolean sniff, Duration requestDeadline) {
    /** Twice the time that a server waits for a primary shard by default. */
    public static final Duration DEFAULT_DEADLINE = Duration.ofMinutes(2);

    public ClusterOptions {
        targets = List.copyOf(targets);
        if (targets.isEmpty()) {
            throw new IllegalArgumentException("a cluster has at least one address");
        }
    }

    /**
     * What {@code https} needs beyond the platform's own authorities.
     *
     * @param caCertificate PEM file of the authorities to trust instead
     * @param certificate PEM file of our own certificate chain
     * @param key PEM file (PKCS#8) of its private key
     * @param insecure whether to trust anybody
     */
    public record Tls(Optional<Path> caCertificate, Optional<Path> certificate, Optional<Path> key, boolean insecure) {
        /** Trust what the platform trusts. */
        public static final Tls DEFAULT = new Tls(Optional.empty(), Optional.empty(), Optional.empty(), false);
    }
}
