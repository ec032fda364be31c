package io.penstock.testkit.proxy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** One request and the fault it meets. */
final class Exchange {

    private static final String LOG_IN_PAGE =
            "<!DOCTYPE html><html><head><title>Log in</title></head><body><form>Log in to continue</form></body></html>";

    private final BulkRequestView request;
    private final ClientChannel client;
    private final Upstream upstream;
    private final Journal journal;
    private final boolean last;

    Exchange(BulkRequestView request, ClientChannel client, Upstream upstream, Journal journal) {
        this.request = request;
        this.client = client;
        this.upstream = upstream;
        this.journal = journal;
        this.last = request.head().isLast();
    }

    /** What becomes of the connection. */
    enum After {
        NEXT_REQUEST,
        CLOSE,
        /** The socket stays open and nobody reads it: not even the client's hanging up is seen. */
        SILENCE
    }

    After play(Fault fault) throws IOException, InterruptedException {
        return switch (fault) {
            case Fault.Pass pass -> answer(forward());
            case Fault.DropBefore drop -> cutBefore(drop.cut());
            case Fault.DropAfter drop -> cutAfter(drop.cut());
            case Fault.Hang hang -> hangAfter();
            case Fault.HangBefore hang -> hangBefore();
            case Fault.Late late -> late(late.delay());
            case Fault.SlowReply slow -> slowReply(slow.bytesPerSecond());
            case Fault.SlowUpload slow -> slowUpload(slow.bytesPerSecond());
            case Fault.TruncatedReply truncated -> truncated(false);
            case Fault.TruncatedCloseDelimited truncated -> truncated(true);
            case Fault.ShortRequest shortened -> answer(forwardHalf());
            case Fault.FewerItems edit -> edited(ReplyEdits::fewerItems);
            case Fault.MoreItems edit -> edited(ReplyEdits::moreItems);
            case Fault.SwapItems edit -> edited(ReplyEdits::swapItems);
            case Fault.DuplicateItem edit -> edited(ReplyEdits::duplicateItem);
            case Fault.FlipErrorsFlag edit -> edited(ReplyEdits::flipErrorsFlag);
            case Fault.ItemError edit -> edited(reply -> ReplyEdits.itemError(reply, edit));
            case Fault.Html200 page -> instead(200, Map.of("Content-Type", "text/html; charset=UTF-8"), LOG_IN_PAGE);
            case Fault.Redirect to ->
                instead(to.status(), Map.of("Location", to.location().toString()), "");
            case Fault.Status status -> status(status);
            case Fault.DelayedReply delayed -> delayed(delayed);
            case Fault.CloseIdle idle -> closeIdle(idle);
            case Fault.EarlyReply413 early -> early413();
            case Fault.HostileJson hostile -> hostile(hostile);
            case Fault.RejectItems reject -> reject(reject.poison());
            case Fault.CloseOnPoison close -> closeOn(close.poison());
        };
    }

    private ServerReply forward() throws IOException, InterruptedException {
        return forward(request.head(), request.wireBody(), request.actions());
    }

    private ServerReply forward(RequestHead head, byte[] body, List<BulkAction> actions)
            throws IOException, InterruptedException {
        ServerReply reply = upstream.send(head, body);
        if (head.isBulk()) {
            journal.answered(actions, reply);
        }
        return reply;
    }

    private ServerReply forwardHalf() throws IOException, InterruptedException {
        List<BulkAction> actions = request.actions();
        if (actions.size() < 2) {
            return forward();
        }
        List<BulkAction> half = actions.subList(0, (actions.size() + 1) / 2);
        byte[] body = Arrays.copyOf(request.body(), half.getLast().until());
        Map<String, List<String>> headers = Wire.endToEnd(request.head().headers());
        headers.remove("Content-Encoding");
        RequestHead head =
                new RequestHead(request.head().method(), request.head().target(), headers);
        return forward(head, body, half);
    }

    private After next() {
        return last ? After.CLOSE : After.NEXT_REQUEST;
    }

    private After answer(ServerReply reply) throws IOException {
        reply.write(client.out(), last);
        return next();
    }

    private After edited(UnaryOperator<ServerReply> edit) throws IOException, InterruptedException {
        return answer(edit.apply(forward()));
    }

    private After instead(int status, Map<String, String> headers, String body) throws IOException {
        request.wireBody();
        return answer(ServerReply.of(status, headers, body));
    }

    private After status(Fault.Status status) throws IOException, InterruptedException {
        if (status.applied()) {
            forward();
        }
        return instead(status.code(), status.headers(), status.body());
    }

    private After cutBefore(Fault.Cut cut) throws IOException {
        request.wireBody();
        client.cut(cut);
        return After.CLOSE;
    }

    private After cutAfter(Fault.Cut cut) throws IOException, InterruptedException {
        forward();
        client.cut(cut);
        return After.CLOSE;
    }

    private After hangBefore() throws IOException {
        request.wireBody();
        client.awaitHangUp();
        return After.CLOSE;
    }

    private After hangAfter() throws IOException, InterruptedException {
        forward();
        client.awaitHangUp();
        return After.CLOSE;
    }

    private After late(Duration delay) throws IOException, InterruptedException {
        request.wireBody();
        client.cut(Fault.Cut.RESET);
        client.hangUp();
        Thread.sleep(delay);
        forward();
        return After.CLOSE;
    }

    private After slowReply(long bytesPerSecond) throws IOException, InterruptedException {
        ServerReply reply = forward();
        reply.writeHead(client.out(), last);
        client.drip(reply.body(), bytesPerSecond);
        return next();
    }

    private After slowUpload(long bytesPerSecond) throws IOException, InterruptedException {
        client.slowUpload(bytesPerSecond);
        return answer(forward());
    }

    private After truncated(boolean closeDelimited) throws IOException, InterruptedException {
        ServerReply reply = forward();
        OutputStream out = client.out();
        if (closeDelimited) {
            reply.writeOpenHead(out, "Connection", "close");
        } else {
            reply.writeHead(out, last);
        }
        out.write(reply.body(), 0, reply.body().length / 2);
        return After.CLOSE;
    }

    private After delayed(Fault.DelayedReply delayed) throws IOException, InterruptedException {
        ServerReply reply = forward();
        Thread.sleep(delayed.delay());
        return answer(reply);
    }

    private After closeIdle(Fault.CloseIdle idle) throws IOException, InterruptedException {
        After after = answer(forward());
        client.closeWhenIdle(idle.idle());
        return after;
    }

    private After early413() throws IOException {
        ServerReply.of(413, Map.of(), "").write(client.out(), false);
        return After.SILENCE;
    }

    private After hostile(Fault.HostileJson hostile) throws IOException, InterruptedException {
        return switch (hostile.kind()) {
            case DEEP_NESTING -> edited(ReplyEdits::deepNesting);
            case PADDING -> padded(hostile.paddingBytes());
            case NAN -> edited(ReplyEdits::nanStatus);
            case DUPLICATE_KEYS -> edited(ReplyEdits::duplicateStatus);
            case STATUS_AS_TEXT -> edited(ReplyEdits::textStatus);
        };
    }

    private After padded(long bytes) throws IOException, InterruptedException {
        ServerReply reply = ReplyEdits.plain(forward());
        if (!ReplyEdits.isBulkReply(reply)) {
            return answer(reply);
        }
        OutputStream out = client.out();
        reply.writeOpenHead(out, "Transfer-Encoding", "chunked");
        writeChunk(out, "{\"padding\":\"".getBytes(StandardCharsets.US_ASCII));
        byte[] padding = new byte[1 << 16];
        Arrays.fill(padding, (byte) 'x');
        for (long left = bytes; left > 0; left -= padding.length) {
            writeChunk(out, left < padding.length ? Arrays.copyOf(padding, (int) left) : padding);
        }
        byte[] rest = reply.body().clone();
        rest[0] = ',';
        writeChunk(out, "\"".getBytes(StandardCharsets.US_ASCII));
        writeChunk(out, rest);
        out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return next();
    }

    private static void writeChunk(OutputStream out, byte[] chunk) throws IOException {
        out.write((Integer.toHexString(chunk.length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        out.write(chunk);
        out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    private After reject(Predicate<byte[]> poison) throws IOException, InterruptedException {
        if (!request.anySource(poison)) {
            return answer(forward());
        }
        String body =
                "{\"error\":{\"type\":\"illegal_argument_exception\",\"reason\":\"poison document (fault proxy)\"},\"status\":400}";
        return instead(400, Map.of("Content-Type", "application/json"), body);
    }

    private After closeOn(Predicate<byte[]> poison) throws IOException, InterruptedException {
        return request.anySource(poison) ? cutBefore(Fault.Cut.CLOSE) : answer(forward());
    }
}
