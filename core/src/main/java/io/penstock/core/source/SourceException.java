package io.penstock.core.source;

import io.penstock.core.document.Position;

/** The source cannot be read any further. Its message is one sentence: what happened, to what, what to do. */
public final class SourceException extends Exception {
    /** Why a source cannot be read. */
    public enum Reason {
        /** It is not there, or not to be read by us. */
        GONE,
        /** It is not what it was when the load began, or when it was stopped. */
        CHANGED,
        /** It ends in the middle of something. */
        TRUNCATED,
        /** Its bytes make no sense. */
        CORRUPT
    }

    private final Reason reason;
    private final transient Position position;

    public SourceException(Reason reason, String message, Position position) {
        this(reason, message, position, null);
    }

    public SourceException(
            Reason reason, String message, Position position, @org.jspecify.annotations.Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
        this.position = position;
    }

    public Reason reason() {
        return reason;
    }

    /** The position reached: everything before it has been read. */
    public Position position() {
        return position;
    }
}
