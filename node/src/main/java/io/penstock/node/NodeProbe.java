package io.penstock.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Asks a node over HTTP whether it is ready. */
final class NodeProbe implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(2);
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient client = HttpClient.newBuilder()
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(CONNECT)
            .build();

    /** Whether the server at that address is this process. It is asked because a stranger may hold the port. */
    boolean is(NodeProcess process, URI url) {
        JsonNode node = get(url, "/_nodes/_local/process?filter_path=nodes.*.process.id");
        return node.findPath("id").asLong(-1) == process.pid();
    }

    /** Whether the server belongs to a cluster that has a leader and counts {@code nodes} or more. */
    boolean joined(URI url, int nodes) {
        JsonNode health = get(url, "/_cluster/health?timeout=1s&wait_for_nodes=ge(" + nodes + ")");
        return health.path("number_of_nodes").asInt() >= nodes;
    }

    /** Whether every index can be searched; waits for it a second. */
    boolean searchable(URI url) {
        JsonNode health = get(url, "/_cluster/health?timeout=1s&wait_for_status=yellow");
        return health.has("status") && !health.path("status").asText().equals("red");
    }

    private JsonNode get(URI url, String path) {
        HttpRequest request =
                HttpRequest.newBuilder(url.resolve(path)).timeout(ANSWER).build();
        try {
            return JSON.readTree(
                    client.send(request, HttpResponse.BodyHandlers.ofString()).body());
        } catch (IOException notYet) {
            return JSON.missingNode();
        } catch (InterruptedException interrupted) {
            throw NodeException.interrupted();
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
    }
}
