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

    /**
     * Whether the server at that address is the process {@code pid} and belongs to a cluster of {@code nodes} or more
     * that has a leader. The number of the process is asked for because a stranger may hold the port.
     */
    boolean ready(URI url, long pid, int nodes) {
        JsonNode process = get(url, "/_nodes/_local/process?filter_path=nodes.*.process.id");
        if (process.findPath("id").asLong(-1) != pid) {
            return false;
        }
        JsonNode health = get(url, "/_cluster/health?timeout=1s&wait_for_nodes=ge(" + nodes + ")");
        return health.path("number_of_nodes").asInt() >= nodes;
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
