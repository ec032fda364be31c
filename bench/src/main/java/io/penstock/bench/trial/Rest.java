package io.penstock.bench.trial;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.penstock.bench.BenchException;
import io.penstock.cluster.PlainRequests;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * A cluster that is measured, in requests for JSON. Thread-safe.
 *
 * @param nodes addresses, of which clients take one each by turns
 * @param pids processes of its nodes on this machine; empty elsewhere
 */
record Rest(PlainRequests http, List<URI> nodes, List<Long> pids) {
    private static final ObjectMapper JSON = new ObjectMapper();

    JsonNode get(String path) {
        return call("GET", path, "");
    }

    /** What is at a place; empty if nothing is. */
    Optional<JsonNode> find(String path) {
        PlainRequests.Answer answer = http.send("GET", nodes.getFirst(), path, null);
        return answer.status() == 404 ? Optional.empty() : Optional.of(read("GET", path, answer));
    }

    /** An answer other than 2xx is a failure. */
    JsonNode call(String method, String path, String body) {
        byte[] sent = body.isEmpty() ? null : body.getBytes(StandardCharsets.UTF_8);
        return read(method, path, http.send(method, nodes.getFirst(), path, sent));
    }

    private static JsonNode read(String method, String path, PlainRequests.Answer answer) {
        if (!answer.isOk()) {
            throw new BenchException(
                    BenchException.Reason.FAILED,
                    "%s %s was refused (HTTP %d): %s"
                            .formatted(method, path, answer.status(), reason(json(answer.body()))));
        }
        return json(answer.body());
    }

    static JsonNode json(byte[] body) {
        try {
            return body.length == 0 ? MissingNode.getInstance() : JSON.readTree(body);
        } catch (IOException e) {
            return MissingNode.getInstance();
        }
    }

    private static String reason(JsonNode answer) {
        return answer.at("/error/root_cause/0/reason")
                .asText(answer.path("error").asText("no reason given"));
    }
}
