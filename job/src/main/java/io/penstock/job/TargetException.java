package io.penstock.job;

import org.jspecify.annotations.Nullable;

/** The cluster could not do what was asked. The message is one sentence: what happened, to what, what to do. */
public final class TargetException extends RuntimeException {
    /** What kind of answer it was. */
    public enum Reason {
        /** Nothing usable answers. */
        UNUSABLE,
        /** It answers, and says no. */
        REFUSES,
        /** What was asked for cannot be: a wrong URL, a wrong name, a wrong setting. */
        USAGE
    }

    private final Reason reason;

    public TargetException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    ExitCode exitCode() {
        return switch (reason) {
            case UNUSABLE -> ExitCode.TARGET_UNUSABLE;
            case REFUSES -> ExitCode.TARGET_REFUSES;
            case USAGE -> ExitCode.USAGE;
        };
    }
}
