package io.penstock.testkit.proxy;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;

/**
 * The real server. Each request has a connection of its own, so that no fault can leak from one request into the next.
 */
final class Upstream {

    private final URI uri;
    private final InetSocketAddress address;
    private final OpenSockets sockets;
    private final ThreadFactory threads;

    Upstream(URI uri, OpenSockets sockets, ThreadFactory threads) {
        boolean bare = uri.getRawPath() == null
                || uri.getRawPath().isEmpty()
                || uri.getRawPath().equals("/");
        if (!"http".equals(uri.getScheme()) || uri.getHost() == null || !bare) {
            throw new IllegalArgumentException("the fault proxy needs an upstream like http://host:9200, not " + uri);
        }
        this.uri = uri;
        this.address = resolved(uri);
        this.sockets = sockets;
        this.threads = threads;
    }

    /**
     * Sends the request and reads the whole reply. The upload has a thread of its own, because a server may answer
     * before it has read the body and then read no more.
     */
    ServerReply send(RequestHead head, byte[] body) throws IOException, InterruptedException {
        Socket socket = sockets.keep(new Socket());
        Thread upload = threads.newThread(() -> upload(socket, head, body));
        try {
            socket.setTcpNoDelay(true);
            socket.connect(address);
            upload.start();
            return ServerReply.read(new BufferedInputStream(socket.getInputStream()), head.method());
        } finally {
            sockets.release(socket);
            upload.join();
        }
    }

    private void upload(Socket socket, RequestHead head, byte[] body) {
        Map<String, List<String>> headers = Wire.endToEnd(head.headers());
        headers.put("Host", List.of(uri.getRawAuthority()));
        headers.put("Connection", List.of("close"));
        if (body.length > 0 || Wire.isFramed(head.headers())) {
            headers.put("Content-Length", List.of(Integer.toString(body.length)));
        }
        try {
            OutputStream out = socket.getOutputStream();
            Wire.writeHead(out, head.method() + " " + head.target() + " HTTP/1.1", headers);
            out.write(body);
            out.flush();
        } catch (IOException serverStoppedReading) {
            // The reply, or its absence, tells the client what happened.
        }
    }

    private static InetSocketAddress resolved(URI uri) {
        try {
            int port = uri.getPort() < 0 ? 80 : uri.getPort();
            return new InetSocketAddress(InetAddress.getAllByName(uri.getHost())[0], port);
        } catch (UnknownHostException e) {
            throw new UncheckedIOException("no address for the upstream of the fault proxy: " + uri, e);
        }
    }
}
