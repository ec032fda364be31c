package io.penstock.testkit.proxy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/** HTTP/1.1 as bytes: heads, headers and framed bodies. */
final class Wire {

    /** Bodies are held whole; a larger one ends its connection, so that a mistake in a test does not eat the heap. */
    static final int BODY_LIMIT_BYTES = 128 << 20;

    private static final int LINE_LIMIT_BYTES = 1 << 20;

    /** These belong to one connection, or are written anew for each message. */
    private static final Set<String> OF_ONE_CONNECTION = Set.copyOf(caseless(List.of(
            "Connection",
            "Keep-Alive",
            "Proxy-Connection",
            "Transfer-Encoding",
            "Content-Length",
            "Expect",
            "TE",
            "Trailer",
            "Upgrade",
            "HTTP2-Settings")));

    private Wire() {}

    /** One line without its end, or end of file as {@link EOFException}. */
    static String readLine(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(128);
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the connection ended inside a line");
            }
            if (line.size() == LINE_LIMIT_BYTES) {
                throw new ProtocolException("a header line is longer than " + LINE_LIMIT_BYTES + " bytes");
            }
            line.write(next);
        }
        String text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    /** Headers up to the empty line, found by name in any case. */
    static Map<String, List<String>> readHeaders(InputStream in) throws IOException {
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line = readLine(in); !line.isEmpty(); line = readLine(in)) {
            int colon = line.indexOf(':');
            if (colon < 1) {
                throw new ProtocolException("not a header line: " + line);
            }
            headers.computeIfAbsent(line.substring(0, colon), name -> new ArrayList<>(1))
                    .add(line.substring(colon + 1).strip());
        }
        return headers;
    }

    static boolean says(Map<String, List<String>> headers, String name, String word) {
        return headers.getOrDefault(name, List.of()).stream()
                .flatMap(value -> List.of(value.split(",")).stream())
                .anyMatch(value -> value.strip().equalsIgnoreCase(word));
    }

    static boolean isFramed(Map<String, List<String>> headers) {
        return says(headers, "Transfer-Encoding", "chunked") || headers.containsKey("Content-Length");
    }

    /** The body as its headers frame it; empty if they do not. */
    static byte[] readBody(InputStream in, Map<String, List<String>> headers) throws IOException {
        if (says(headers, "Transfer-Encoding", "chunked")) {
            return readChunks(in);
        }
        List<String> lengths = headers.getOrDefault("Content-Length", List.of());
        if (lengths.isEmpty()) {
            return new byte[0];
        }
        byte[] body = new byte[limited(Long.parseLong(lengths.getFirst()))];
        readExactly(in, body);
        return body;
    }

    static byte[] readUntilClose(InputStream in) throws IOException {
        byte[] body = in.readNBytes(BODY_LIMIT_BYTES + 1);
        limited(body.length);
        return body;
    }

    private static byte[] readChunks(InputStream in) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            String size = readLine(in).split(";", 2)[0].strip();
            byte[] chunk = new byte[limited(Long.parseLong(size, 16))];
            limited((long) body.size() + chunk.length);
            if (chunk.length == 0) {
                readHeaders(in);
                return body.toByteArray();
            }
            readExactly(in, chunk);
            body.writeBytes(chunk);
            readLine(in);
        }
    }

    private static void readExactly(InputStream in, byte[] into) throws IOException {
        int count = in.readNBytes(into, 0, into.length);
        if (count < into.length) {
            throw new EOFException("the connection ended after " + count + " of " + into.length + " bytes of a body");
        }
    }

    private static int limited(long bytes) throws ProtocolException {
        if (bytes < 0 || bytes > BODY_LIMIT_BYTES) {
            throw new ProtocolException(
                    "the fault proxy holds bodies up to " + BODY_LIMIT_BYTES + " bytes, this one has " + bytes);
        }
        return (int) bytes;
    }

    /** The body as text bytes: unpacked if it is gzip. */
    static byte[] plain(Map<String, List<String>> headers, byte[] body) throws IOException {
        if (!says(headers, "Content-Encoding", "gzip")) {
            return body;
        }
        try (GZIPInputStream unpacked = new GZIPInputStream(new ByteArrayInputStream(body))) {
            return readUntilClose(unpacked);
        }
    }

    /** A copy that can be changed, without the headers that belong to one connection. */
    static Map<String, List<String>> endToEnd(Map<String, List<String>> headers) {
        Map<String, List<String>> kept = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.forEach((name, values) -> {
            if (!OF_ONE_CONNECTION.contains(caseless(name))) {
                kept.put(name, values);
            }
        });
        return kept;
    }

    static Map<String, List<String>> fixed(Map<String, List<String>> headers) {
        Map<String, List<String>> copy = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.forEach((name, values) -> copy.put(name, List.copyOf(values)));
        return Collections.unmodifiableMap(copy);
    }

    /** The start line and headers in one write, so that no client sees half a head. */
    static void writeHead(OutputStream out, String startLine, Map<String, List<String>> headers) throws IOException {
        StringBuilder head = new StringBuilder(startLine).append("\r\n");
        headers.forEach((name, values) -> values.forEach(
                value -> head.append(name).append(": ").append(value).append("\r\n")));
        out.write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
    }

    private static List<String> caseless(List<String> names) {
        return names.stream().map(Wire::caseless).toList();
    }

    private static String caseless(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
