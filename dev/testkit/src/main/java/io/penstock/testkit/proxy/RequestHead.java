package io.penstock.testkit.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The first lines of a request as the client sent them.
 *
 * @param target path and query string, as on the wire
 * @param headers found by name in any case; every value in the order sent
 */
public record RequestHead(String method, String target, Map<String, List<String>> headers) {

    public RequestHead {
        headers = Wire.fixed(headers);
    }

    static RequestHead read(InputStream in) throws IOException {
        String line = Wire.readLine(in);
        String[] words = line.split(" ");
        if (words.length != 3 || !words[2].startsWith("HTTP/1.")) {
            throw new ProtocolException("not an HTTP/1 request line: " + line);
        }
        Map<String, List<String>> headers = Wire.readHeaders(in);
        if (words[2].equals("HTTP/1.0") && !headers.containsKey("Connection")) {
            headers.put("Connection", List.of("close"));
        }
        return new RequestHead(words[0], words[1], headers);
    }

    /** The target without its query string. */
    public String path() {
        int mark = target.indexOf('?');
        return mark < 0 ? target : target.substring(0, mark);
    }

    /** What follows the question mark, undecoded; empty if nothing does. */
    public String query() {
        int mark = target.indexOf('?');
        return mark < 0 ? "" : target.substring(mark + 1);
    }

    /** The first value of a header. */
    public Optional<String> header(String name) {
        return headers.getOrDefault(name, List.of()).stream().findFirst();
    }

    /** Whether this is {@code POST} or {@code PUT} to {@code _bulk}, with or without an index. */
    public boolean isBulk() {
        return (method.equals("POST") || method.equals("PUT")) && path().endsWith("/_bulk");
    }

    boolean isLast() {
        return Wire.says(headers, "Connection", "close");
    }
}
