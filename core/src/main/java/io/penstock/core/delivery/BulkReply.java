package io.penstock.core.delivery;

import java.time.Duration;
import java.util.List;

/** What came back for a bulk request. */
public sealed interface BulkReply {
    /** A complete answer, read to its end: one entry for each item, in order. Not yet checked against what was sent. */
    record Items(List<ItemReply> items) implements BulkReply {}

    /**
     * The whole request was refused with an HTTP status.
     *
     * @param type the server's error type, or the empty text
     * @param reason the server's reason, or what else is known
     * @param retryAfter what the {@code Retry-After} header asks for, or zero
     */
    record Refused(int status, String type, String reason, Duration retryAfter) implements BulkReply {}

    /** No usable answer: the server may or may not have carried the request out. */
    record NoAnswer(Cause cause, String message) implements BulkReply {}

    /** Why there is no answer. */
    enum Cause {
        /** No connection was made: the request certainly was not carried out. */
        NOT_CONNECTED,
        /** The connection ended without an answer. */
        CLOSED,
        /** The request's total time ran out. */
        TIMED_OUT,
        /** An answer came that is incomplete, or does not match what was sent. */
        GARBLED,
        /** Something that is no search server answered, for example a login page. */
        FOREIGN,
        /** The connection cannot be trusted (TLS), whatever is tried again. */
        UNTRUSTED
    }
}
