package io.penstock.testkit.proxy;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;

/**
 * One thing the proxy does wrong to one request.
 *
 * <p>Each kind says what the client sees and whether the server applied the request. The faults that edit a bulk reply
 * pass on unchanged a reply that is no bulk reply (another status than 2xx, or no {@code items}).
 */
public sealed interface Fault {

    /** Nothing goes wrong: a place in a script where a request passes. */
    record Pass() implements Fault {}

    /** How a connection is ended without a reply. */
    enum Cut {
        /** The client sees "connection reset". */
        RESET,
        /** The client sees an orderly end of stream where a status line should be. */
        CLOSE
    }

    /** The request is read in full and the connection ended. Not applied. */
    record DropBefore(Cut cut) implements Fault {
        public DropBefore() {
            this(Cut.RESET);
        }
    }

    /**
     * The connection is ended when the server has answered; the client cannot tell it from {@link DropBefore}. Applied.
     */
    record DropAfter(Cut cut) implements Fault {
        public DropAfter() {
            this(Cut.CLOSE);
        }
    }

    /** No byte comes back and the socket stays open until the client or the proxy closes. Applied. */
    record Hang() implements Fault {}

    /** As {@link Hang}, but the server never hears of the request. Not applied. */
    record HangBefore() implements Fault {}

    /** The connection is reset, and the server hears of the request this much later. Applied, late. */
    record Late(Duration delay) implements Fault {}

    /** The head of the reply comes at once, its body drips at this rate, so bytes keep arriving. Applied. */
    record SlowReply(long bytesPerSecond) implements Fault {
        public SlowReply {
            requirePositive(bytesPerSecond);
        }
    }

    /**
     * The request body is taken at this rate: writing blocks once the socket buffers are full, and the reply is late. A
     * rule that looks at the body has already taken it at full speed. Applied.
     */
    record SlowUpload(long bytesPerSecond) implements Fault {
        public SlowUpload {
            requirePositive(bytesPerSecond);
        }
    }

    /** {@code Content-Length} announces the whole reply, half of it comes, then an orderly close. Applied. */
    record TruncatedReply() implements Fault {}

    /** No length, {@code Connection: close}, half of the reply, close: the HTTP layer sees nothing wrong. Applied. */
    record TruncatedCloseDelimited() implements Fault {}

    /**
     * The server gets only the first half of the action/body pairs (rounded up) and its honest, shorter reply is passed
     * on. The first half is applied; a request of one pair passes whole.
     */
    record ShortRequest() implements Fault {}

    /** The last item is missing in the reply. Applied. */
    record FewerItems() implements Fault {}

    /** The last item of the reply comes twice. Applied. */
    record MoreItems() implements Fault {}

    /** The first and the last item of the reply change places; a reply of one item is unchanged. Applied. */
    record SwapItems() implements Fault {}

    /**
     * The second item of the reply is a copy of the first, the count is right; a reply of one item is unchanged.
     * Applied.
     */
    record DuplicateItem() implements Fault {}

    /** {@code errors} says the opposite of what the server said. Applied. */
    record FlipErrorsFlag() implements Fault {}

    /**
     * The item at this index (from 0) carries an error the server did not give, and {@code errors} is true. Applied.
     */
    record ItemError(int index, int status, String type, String reason) implements Fault {}

    /** A log-in page with status 200, as from a captive portal. Not applied. */
    record Html200() implements Fault {}

    /** A redirect to another place. Not applied. */
    record Redirect(int status, URI location) implements Fault {
        public Redirect(URI location) {
            this(307, location);
        }
    }

    /**
     * This status, these headers and this body in place of the server's reply; {@code applied} says whether the server
     * was asked first.
     */
    record Status(int code, Map<String, String> headers, String body, boolean applied) implements Fault {
        public Status {
            headers = Map.copyOf(headers);
        }

        /** A bare status that some gateway before the server gave. */
        public static Status notApplied(int code) {
            return new Status(code, Map.of(), "", false);
        }

        /** A bare status that some gateway gave after the server had done the work. */
        public static Status applied(int code) {
            return new Status(code, Map.of(), "", true);
        }
    }

    /** The server's reply, this much later. Applied. */
    record DelayedReply(Duration delay) implements Fault {}

    /**
     * The reply is right and does not announce a close; the connection is then closed as soon as it has been idle this
     * long, also after later requests. Zero closes right after the reply, for the keep-alive race. Applied.
     */
    record CloseIdle(Duration idle) implements Fault {}

    /**
     * 413 with an empty body right after the request head, as OpenSearch answers a too large {@code Content-Length}; no
     * byte of the body is read (unless the rule that chose this looked at it) and the socket stays open and silent
     * until the proxy closes. Not applied.
     */
    record EarlyReply413() implements Fault {}

    /** The server's reply made hard to read. {@code paddingBytes} counts for {@link Kind#PADDING} only. Applied. */
    record HostileJson(Kind kind, long paddingBytes) implements Fault {

        public HostileJson(Kind kind) {
            this(kind, 500L << 20);
        }

        /** What makes the reply hard to read. */
        public enum Kind {
            /** A first field that nests 10,000 arrays. */
            DEEP_NESTING,
            /** A first field with a text of the given size, streamed in chunks without an announced length. */
            PADDING,
            /** Every {@code status} is {@code NaN}. */
            NAN,
            /** Every item has two fields {@code status}: a wrong one, then the right one. */
            DUPLICATE_KEYS,
            /** Every {@code status} is a text. */
            STATUS_AS_TEXT
        }
    }

    /**
     * The poison document: 400 for the whole request if any document source matches, else it passes. Not applied when
     * refused.
     */
    record RejectItems(Predicate<byte[]> poison) implements Fault {}

    /** As {@link RejectItems}, but the connection is closed without a reply. Not applied when closed. */
    record CloseOnPoison(Predicate<byte[]> poison) implements Fault {}

    private static void requirePositive(long bytesPerSecond) {
        if (bytesPerSecond <= 0) {
            throw new IllegalArgumentException("a rate is at least 1 byte per second, not " + bytesPerSecond);
        }
    }
}
