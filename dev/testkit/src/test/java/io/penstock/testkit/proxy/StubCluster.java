package io.penstock.testkit.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * A server that answers {@code _bulk} as OpenSearch does and remembers what it applied; a source with "bad" in it is
 * refused by item.
 */
final class StubCluster implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Integer> applied = new ConcurrentHashMap<>();
    private final List<String> targets = Collections.synchronizedList(new ArrayList<>());

    StubCluster() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    URI uri() {
        return URI.create("http://localhost:" + server.getAddress().getPort());
    }

    /** How often each id was written. */
    Map<String, Integer> applied() {
        return Map.copyOf(applied);
    }

    /** Method and target of each request that arrived. */
    List<String> targets() {
        return List.copyOf(targets);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            targets.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            byte[] body = body(exchange);
            boolean bulk = exchange.getRequestURI().getPath().endsWith("/_bulk");
            byte[] reply = bulk ? bulk(body) : ("{\"bytes\":" + body.length + "}").getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.sendResponseHeaders(200, -1);
                return;
            }
            if ("gzip".equals(exchange.getRequestHeaders().getFirst("Accept-Encoding"))) {
                exchange.getResponseHeaders().set("Content-Encoding", "gzip");
                reply = gzip(reply);
            }
            // Zero means chunked here, so that both framings of a reply are met.
            exchange.sendResponseHeaders(200, bulk ? reply.length : 0);
            exchange.getResponseBody().write(reply);
        }
    }

    private static byte[] body(HttpExchange exchange) throws IOException {
        InputStream in = exchange.getRequestBody();
        boolean zipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
        return (zipped ? new GZIPInputStream(in) : in).readAllBytes();
    }

    static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        }
        return packed.toByteArray();
    }

    private byte[] bulk(byte[] body) throws IOException {
        ObjectNode reply = JSON.createObjectNode().put("took", 3);
        ArrayNode items = JSON.createArrayNode();
        boolean errors = false;
        List<String> lines = new String(body, StandardCharsets.UTF_8).lines().toList();
        for (int at = 0; at < lines.size(); ) {
            Map.Entry<String, JsonNode> action =
                    JSON.readTree(lines.get(at++)).properties().iterator().next();
            boolean bad = !action.getKey().equals("delete") && lines.get(at++).contains("bad");
            String id = action.getValue().path("_id").asText("chosen-" + at);
            ObjectNode item = items.addObject()
                    .putObject(action.getKey())
                    .put("_index", "docs")
                    .put("_id", id);
            if (bad) {
                item.put("status", 400).putObject("error").put("type", "mapper_parsing_exception");
                errors = true;
            } else {
                applied.merge(id, 1, Integer::sum);
                item.put("status", 201);
            }
        }
        reply.put("errors", errors).set("items", items);
        return JSON.writeValueAsBytes(reply);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
