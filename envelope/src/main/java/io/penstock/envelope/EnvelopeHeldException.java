package io.penstock.envelope;

/** Another load that seems to live has an envelope on the index. */
public final class EnvelopeHeldException extends RuntimeException {
    EnvelopeHeldException(String message) {
        super(message);
    }
}
