package io.penstock.cluster;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Builds request addresses. Stateless. */
final class Paths {
    private Paths() {}

    /** A path below a node's address, which may have a prefix. */
    static URI at(URI node, String path) {
        String base = node.toString();
        return URI.create((base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + path);
    }

    /** One segment of a path, or a value of a parameter. */
    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
