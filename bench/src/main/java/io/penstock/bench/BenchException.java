package io.penstock.bench;

/** An experiment cannot be run as it was asked for. The message is one sentence for people. */
public final class BenchException extends RuntimeException {
    /** What is wrong. */
    public enum Reason {
        /** The experiment file, a result or an option: nothing was touched. */
        USAGE,
        /** The cluster or a file on the way. */
        FAILED
    }

    private final Reason reason;

    public BenchException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public BenchException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    /** Something that the user wrote is wrong. */
    public static BenchException usage(String message) {
        return new BenchException(Reason.USAGE, message);
    }
}
