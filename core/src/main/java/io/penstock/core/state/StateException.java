package io.penstock.core.state;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Local state cannot be read, written or locked. The message is one sentence: what happened, to what, what to do. */
public final class StateException extends RuntimeException {
    /** What is wrong with the state. */
    public enum Reason {
        /** Writing failed; nothing written before is damaged. May pass, for example when somebody frees disk space. */
        NOT_WRITTEN,
        /** The disk did not confirm a write: what is on it is unknown, and asking again would get a false yes. */
        NOT_SYNCED,
        /** It is there but cannot be read or makes no sense. */
        UNREADABLE,
        /** Another process uses it. */
        LOCKED
    }

    private final Reason reason;

    public StateException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    static StateException notWritten(Path file, Exception cause) {
        return new StateException(
                Reason.NOT_WRITTEN,
                "cannot write %s (%s): free disk space or choose another folder with --state"
                        .formatted(file, cause.getMessage()),
                cause);
    }

    public Reason reason() {
        return reason;
    }
}
