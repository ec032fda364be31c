package io.penstock.testkit.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a test may look at to choose a fault for one request.
 *
 * <p>The body is read from the client when first asked for, so a choice made by the head alone leaves the upload to the
 * fault. For the connection's thread only, and only while the fault is being chosen. Methods that need the body throw
 * {@link UncheckedIOException} if the client goes away, which the proxy takes as the end of that connection.
 */
public final class BulkRequestView {

    private final RequestHead head;
    private final long number;
    private final BodyReader reader;
    private final Consumer<BulkRequestView> onRead;
    private @Nullable Body body;

    BulkRequestView(RequestHead head, long number, BodyReader reader, Consumer<BulkRequestView> onRead) {
        this.head = head;
        this.number = number;
        this.reader = reader;
        this.onRead = onRead;
    }

    /** Reads the body off the client's socket. */
    interface BodyReader {
        byte[] read() throws IOException;
    }

    private record Body(Bytes wire, Bytes plain, List<BulkAction> actions) {}

    private record Bytes(
            @SuppressWarnings("ArrayRecordComponent") byte[] array) {}

    public RequestHead head() {
        return head;
    }

    /** The how-manieth matching request this is, from 0 in the order the heads arrived. */
    public long number() {
        return number;
    }

    /** The unpacked body; the bytes as sent if they cannot be unpacked. Not a copy. */
    public byte[] body() {
        return read().plain().array();
    }

    /** The actions up to the first line that is none; empty if this is no bulk request. */
    public List<BulkAction> actions() {
        return read().actions();
    }

    /** The document of an action, without its line end; empty for a delete. */
    public byte[] source(BulkAction action) {
        byte[] plain = body();
        int until = action.until();
        boolean lineEnd = until > action.sourceFrom() && plain[until - 1] == '\n';
        return Arrays.copyOfRange(plain, action.sourceFrom(), lineEnd ? until - 1 : until);
    }

    /** Whether any document of the request matches. */
    public boolean anySource(Predicate<byte[]> wanted) {
        return actions().stream().anyMatch(action -> wanted.test(source(action)));
    }

    byte[] wireBody() {
        return read().wire().array();
    }

    private Body read() {
        Body known = body;
        if (known == null) {
            known = readNow();
            body = known;
            onRead.accept(this);
        }
        return known;
    }

    private Body readNow() {
        try {
            byte[] wire = reader.read();
            byte[] plain = unpacked(wire);
            List<BulkAction> actions = head.isBulk() ? BulkAction.parse(plain) : List.of();
            return new Body(new Bytes(wire), new Bytes(plain), actions);
        } catch (IOException clientGone) {
            throw new UncheckedIOException(clientGone);
        }
    }

    private byte[] unpacked(byte[] wire) {
        try {
            return Wire.plain(head.headers(), wire);
        } catch (IOException brokenGzip) {
            return wire;
        }
    }
}
