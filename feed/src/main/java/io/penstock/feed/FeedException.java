package io.penstock.feed;

import org.jspecify.annotations.Nullable;

/** The feed cannot go on. Its message is one sentence: what happened, to what, what to do. */
public final class FeedException extends RuntimeException {
    /** Whose fault it is. */
    public enum Reason {
        /** The configuration; nothing was touched. */
        CONFIG,
        /** The database: it refuses us, or no longer has what is needed. */
        DATABASE,
        /** The brokers were not usable, or refuse us. */
        BROKERS,
        /** What the feed keeps between two runs is lost or damaged. */
        STATE
    }

    private final Reason reason;

    FeedException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
