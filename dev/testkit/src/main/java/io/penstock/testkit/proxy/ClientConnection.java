package io.penstock.testkit.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** Serves one keep-alive connection, request after request, until either side or a fault ends it. */
final class ClientConnection {

    private final Socket socket;
    private final Script script;
    private final Upstream upstream;
    private final Journal journal;

    ClientConnection(Socket socket, Script script, Upstream upstream, Journal journal) {
        this.socket = socket;
        this.script = script;
        this.upstream = upstream;
        this.journal = journal;
    }

    /** Returns when the connection is to be closed; a side that has gone away ends it like a hang-up. */
    void serve() throws InterruptedException {
        try {
            ClientChannel client = new ClientChannel(socket);
            Exchange.After after = Exchange.After.NEXT_REQUEST;
            while (after == Exchange.After.NEXT_REQUEST) {
                Optional<RequestHead> head = client.nextRequest();
                after = head.isPresent() ? serve(client, head.get()) : Exchange.After.CLOSE;
            }
            if (after == Exchange.After.SILENCE) {
                new CountDownLatch(1).await();
            }
        } catch (IOException | UncheckedIOException oneSideGone) {
            // The client sees the close, as it would without a proxy.
        }
    }

    private Exchange.After serve(ClientChannel client, RequestHead head) throws IOException, InterruptedException {
        journal.arrived(head);
        try {
            Optional<Long> number = script.numberOf(head);
            BulkRequestView request =
                    new BulkRequestView(head, number.orElse(-1L), () -> client.readBody(head), journal::uploaded);
            Fault fault = number.isPresent() ? script.next(request) : new Fault.Pass();
            return new Exchange(request, client, upstream, journal).play(fault);
        } finally {
            journal.left(head);
        }
    }
}
