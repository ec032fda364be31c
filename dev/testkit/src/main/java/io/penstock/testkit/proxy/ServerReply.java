package io.penstock.testkit.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** A whole reply, from the server or made up by a fault. */
final class ServerReply {

    private final int status;
    private final String reason;
    private final Map<String, List<String>> headers;
    private final byte[] body;
    private final boolean bodiless;

    private ServerReply(int status, String reason, Map<String, List<String>> headers, byte[] body, boolean bodiless) {
        this.status = status;
        this.reason = reason;
        this.headers = headers;
        this.body = body;
        this.bodiless = bodiless;
    }

    static ServerReply of(int status, Map<String, String> headers, String body) {
        Map<String, List<String>> lists = Wire.endToEnd(Map.of());
        headers.forEach((name, value) -> lists.put(name, List.of(value)));
        return new ServerReply(status, "Fault", lists, body.getBytes(StandardCharsets.UTF_8), false);
    }

    /** The final reply to a request of this method; interim replies are skipped. */
    static ServerReply read(InputStream in, String method) throws IOException {
        while (true) {
            String line = Wire.readLine(in);
            String[] words = line.split(" ", 3);
            if (words.length < 2 || !words[0].startsWith("HTTP/1.")) {
                throw new ProtocolException("not an HTTP/1 status line: " + line);
            }
            int status = Integer.parseInt(words[1]);
            Map<String, List<String>> headers = Wire.readHeaders(in);
            if (status >= 200) {
                boolean bodiless = method.equals("HEAD") || status == 204 || status == 304;
                byte[] body = bodiless ? new byte[0] : readBody(in, headers);
                return new ServerReply(status, words.length == 3 ? words[2] : "", headers, body, bodiless);
            }
        }
    }

    private static byte[] readBody(InputStream in, Map<String, List<String>> headers) throws IOException {
        return Wire.isFramed(headers) ? Wire.readBody(in, headers) : Wire.readUntilClose(in);
    }

    boolean isSuccess() {
        return status / 100 == 2;
    }

    /** The body as sent. */
    byte[] body() {
        return body;
    }

    /** The body unpacked. */
    byte[] plainBody() throws IOException {
        return Wire.plain(headers, body);
    }

    /** The same reply with another, unpacked body. */
    ServerReply withBody(byte[] changed) {
        Map<String, List<String>> kept = Wire.endToEnd(headers);
        kept.remove("Content-Encoding");
        return new ServerReply(status, reason, kept, changed, false);
    }

    void write(OutputStream out, boolean last) throws IOException {
        writeHead(out, last);
        out.write(body);
        out.flush();
    }

    /** The head that announces the whole body. */
    void writeHead(OutputStream out, boolean last) throws IOException {
        Map<String, List<String>> sent = Wire.endToEnd(headers);
        if (!bodiless) {
            sent.put("Content-Length", List.of(Integer.toString(body.length)));
        } else if (headers.containsKey("Content-Length")) {
            sent.put("Content-Length", headers.get("Content-Length"));
        }
        if (last) {
            sent.put("Connection", List.of("close"));
        }
        Wire.writeHead(out, statusLine(), sent);
    }

    /** A head that leaves the length open: chunked, or up to the close. */
    void writeOpenHead(OutputStream out, String header, String value) throws IOException {
        Map<String, List<String>> sent = Wire.endToEnd(headers);
        sent.put(header, List.of(value));
        Wire.writeHead(out, statusLine(), sent);
    }

    private String statusLine() {
        return "HTTP/1.1 " + status + " " + reason;
    }
}
