package io.penstock.cluster;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What proves who we are. The secret is asked for again after a refusal, as it may have been rotated, and never shows
 * in a text of this object. Thread-safe.
 */
public final class Credentials {
    private final Supplier<Optional<String>> source;
    private volatile Optional<String> header;

    private Credentials(Supplier<Optional<String>> source) {
        this.source = source;
        this.header = source.get();
    }

    /** No credentials. */
    public static Credentials none() {
        return new Credentials(Optional::empty);
    }

    /** A user and a password. */
    public static Credentials basic(String user, Supplier<String> password) {
        return new Credentials(() -> Optional.of("Basic "
                + Base64.getEncoder().encodeToString((user + ':' + password.get()).getBytes(StandardCharsets.UTF_8))));
    }

    /** An API key as the server gave it, in base 64. */
    public static Credentials apiKey(Supplier<String> key) {
        return new Credentials(() -> Optional.of("ApiKey " + key.get()));
    }

    /** Value of the {@code Authorization} header. */
    Optional<String> header() {
        return header;
    }

    /** Reads the secret again. */
    void refresh() {
        header = source.get();
    }

    @Override
    public String toString() {
        return header.isPresent() ? "credentials ****" : "no credentials";
    }
}
