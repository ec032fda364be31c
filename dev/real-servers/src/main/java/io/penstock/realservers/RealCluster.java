package io.penstock.realservers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.penstock.node.ClusterSpec;
import io.penstock.node.LocalCluster;
import io.penstock.node.NodeStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A real cluster in a test's hands: its address, its nodes to kill and pause, and plain calls to it that go through no
 * proxy and none of the code under test. Safe for any thread.
 */
public final class RealCluster implements AutoCloseable {
    /** The plugin's archive as the build makes it; tests that want it have it before them in their POM. */
    public static final Path PLUGIN = Path.of("..", "..", "faster-bulk", "target", "faster-bulk.zip");

    /** Where the servers of a module's tests have their files. */
    public static final Path STATE = Path.of("target", "servers");

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration CALL_LIMIT = Duration.ofSeconds(60);

    private final LocalCluster cluster;
    private final List<URI> urls;
    private final HttpClient http;
    private final Thread atExit;

    private RealCluster(LocalCluster cluster, List<URI> urls) {
        this.cluster = cluster;
        this.urls = urls;
        this.http = HttpClient.newHttpClient();
        this.atExit = new Thread(cluster::delete, "end-the-servers");
    }

    /** Starts a cluster without data; one that a killed run of the tests left under this name is ended first. */
    public static RealCluster start(String name, ClusterSpec spec) {
        LocalCluster cluster = LocalCluster.at(STATE, name);
        cluster.delete();
        return start(cluster, spec);
    }

    private static RealCluster start(LocalCluster cluster, ClusterSpec spec) {
        List<URI> urls = cluster.start(spec, ignored -> {}).nodes().stream()
                .map(NodeStatus::url)
                .toList();
        RealCluster real = new RealCluster(cluster, urls);
        Runtime.getRuntime().addShutdownHook(real.atExit);
        return real;
    }

    /** Stops every node and starts them with the same data as another spec says; this object is then of no more use. */
    public RealCluster startAgainAs(ClusterSpec spec) {
        http.close();
        cluster.stop();
        Runtime.getRuntime().removeShutdownHook(atExit);
        return start(cluster, spec);
    }

    /** The first node's address. */
    public URI url() {
        return url(0);
    }

    /** A node's address; the same after a restart. */
    public URI url(int node) {
        return urls.get(node);
    }

    /** Every node's address; the same after a restart. */
    public List<URI> urls() {
        return urls;
    }

    /** SIGKILL; returns when the process is gone. */
    public void kill(int node) {
        cluster.kill(node);
    }

    /** SIGSTOP. */
    public void pause(int node) {
        cluster.pause(node);
    }

    /** SIGCONT. */
    public void resume(int node) {
        cluster.resume(node);
    }

    /** Starts a node again, with its data and its address; returns when it answers. */
    public void restart(int node) {
        cluster.restart(node);
    }

    /** An answer with its status. */
    public record Answer(int status, JsonNode json) {}

    /** Calls that fail the test when the answer is an error. */
    public JsonNode get(String path) {
        return ok("GET", path, "");
    }

    /** As {@link #get}. */
    public JsonNode put(String path, String body) {
        return ok("PUT", path, body);
    }

    /** As {@link #get}. */
    public JsonNode post(String path, String body) {
        return ok("POST", path, body);
    }

    /** As {@link #get}. */
    public JsonNode delete(String path) {
        return ok("DELETE", path, "");
    }

    /** Whether it answers 200 to a HEAD. */
    public boolean exists(String path) {
        return call("HEAD", path, "").status() == 200;
    }

    /** Sets transient cluster settings, {@code null} for their default. */
    public void settings(Map<String, Object> settings) {
        put(
                "/_cluster/settings",
                JSON.createObjectNode()
                        .set("persistent", JSON.valueToTree(settings))
                        .toString());
    }

    /** Documents in an index after a refresh. */
    public long count(String index) {
        post("/" + index + "/_refresh", "");
        return get("/" + index + "/_count").path("count").asLong();
    }

    /** How many writes the primary shards of an index have carried out. */
    public long writes(String index) {
        return get("/" + index + "/_stats/indexing")
                .at("/_all/primaries/indexing/index_total")
                .asLong();
    }

    /**
     * Every document of an index, after a refresh. Pages follow each other by {@code _id}, which no two documents
     * share, so that none is passed over.
     */
    public List<JsonNode> scan(String index) {
        post("/" + index + "/_refresh", "");
        List<JsonNode> all = new ArrayList<>();
        String after = "";
        while (true) {
            JsonNode page = post(
                            "/" + index + "/_search",
                            "{\"size\":2000,\"version\":true,\"sort\":[{\"_id\":\"asc\"}]" + after + "}")
                    .at("/hits/hits");
            if (page.isEmpty()) {
                return all;
            }
            page.forEach(all::add);
            after = ",\"search_after\":" + page.get(page.size() - 1).get("sort");
        }
    }

    /** The body of an answer as it came. */
    public String text(String path) {
        return new String(send("GET", path, "").body(), java.nio.charset.StandardCharsets.UTF_8);
    }

    private JsonNode ok(String method, String path, String body) {
        Answer answer = call(method, path, body);
        if (answer.status() / 100 != 2) {
            throw new IllegalStateException(method + " " + path + ": HTTP " + answer.status() + " " + answer.json());
        }
        return answer.json();
    }

    /** Any call; the status is for the caller to judge. */
    public Answer call(String method, String path, String body) {
        HttpResponse<byte[]> answer = send(method, path, body);
        try {
            JsonNode json = answer.body().length == 0 ? MissingNode.getInstance() : JSON.readTree(answer.body());
            return new Answer(answer.statusCode(), json);
        } catch (IOException e) {
            throw new UncheckedIOException(method + " " + path, e);
        }
    }

    private HttpResponse<byte[]> send(String method, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(url().resolve(path))
                .timeout(CALL_LIMIT)
                .header("Content-Type", "application/json")
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        try {
            return http.send(request, BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(method + " " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Ends every node, also paused ones, and removes their files. */
    @Override
    public void close() {
        http.close();
        cluster.delete();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }
}
