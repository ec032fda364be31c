package io.penstock.testkit.proxy;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** One socket to the proxy, for what an HTTP client hides. */
final class RawClient implements AutoCloseable {

    private final Socket socket;
    private final InputStream in;

    @SuppressWarnings("AddressSelection") // The proxy has one address, 127.0.0.1.
    RawClient(URI uri) throws IOException {
        socket = new Socket(uri.getHost(), uri.getPort());
        in = new BufferedInputStream(socket.getInputStream());
    }

    void send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    }

    void sendBulk(String body) throws IOException {
        int bytes = body.getBytes(StandardCharsets.UTF_8).length;
        send("POST /_bulk HTTP/1.1\r\nHost: x\r\nContent-Length: " + bytes + "\r\n\r\n" + body);
    }

    /** The status line and headers, as text. */
    String head() throws IOException {
        StringBuilder head = new StringBuilder();
        for (String line = Wire.readLine(in); !line.isEmpty(); line = Wire.readLine(in)) {
            head.append(line).append('\n');
        }
        return head.toString();
    }

    String body(String head) throws IOException {
        int length = head.lines()
                .filter(line -> line.startsWith("Content-Length:"))
                .map(line -> Integer.parseInt(
                        line.substring("Content-Length:".length()).strip()))
                .findFirst()
                .orElseThrow();
        return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }

    String restUntilClose() throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }

    /** The next byte, or -1 at the end of the connection. */
    int read() throws IOException {
        return in.read();
    }

    Socket socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
