package io.penstock.source.file.bytes;

import io.penstock.core.source.SourceException.Reason;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The input cannot be read any further; the message says why, without naming the input. */
public final class BrokenInputException extends IOException {
    private final Reason reason;

    public BrokenInputException(Reason reason, String message) {
        this(reason, message, null);
    }

    public BrokenInputException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
