package io.penstock.bench;

import io.penstock.node.ClusterSpec;
import io.penstock.node.Distribution;
import io.penstock.node.LocalCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** A real local cluster for one experiment, removed with its data at the end, also when the bench is interrupted. */
final class Servers implements AutoCloseable {
    /**
     * What runs, and the index that is loaded.
     *
     * @param name what tables call it
     */
    record Shape(String name, int nodes, int shards, Map<String, String> settings) {
        static final Shape ONE_SHARD = new Shape("one-shard", 1, 1, Map.of());
        static final Shape FIVE_SHARDS = new Shape("five-shards", 1, 5, Map.of());
        static final Shape THREE_NODES = new Shape("three-nodes", 3, 3, Map.of());
        static final Shape QUEUE_4 = new Shape("queue-4", 1, 1, Map.of("thread_pool.write.queue_size", "4"));

        Shape {
            settings = Map.copyOf(settings);
        }
    }

    private final Shape shape;
    private final LocalCluster cluster;
    private final URI url;
    private final Thread undertaker;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

    private Servers(Shape shape, LocalCluster cluster, Thread undertaker, URI url) {
        this.shape = shape;
        this.cluster = cluster;
        this.undertaker = undertaker;
        this.url = url;
    }

    static Servers start(Shape shape, Path folder, String heap) {
        LocalCluster cluster = LocalCluster.at(folder, "bench-" + shape.name());
        Thread undertaker = Thread.ofPlatform().unstarted(cluster::delete);
        Runtime.getRuntime().addShutdownHook(undertaker);
        var spec = new ClusterSpec(Distribution.DEFAULT, shape.nodes(), heap, shape.settings());
        URI url = cluster.start(spec, System.err::println)
                .url()
                .orElseThrow(() -> new IllegalStateException("the cluster " + shape.name() + " has no address"));
        return new Servers(shape, cluster, undertaker, url);
    }

    Shape shape() {
        return shape;
    }

    String url() {
        return url.toString();
    }

    /** An empty index of this name, without replicas and with our mapping; an older one is gone. */
    void freshIndex(String index, String refreshInterval) throws IOException, InterruptedException {
        dropIndex(index);
        send("PUT", index + "?wait_for_active_shards=all", """
                {"settings": {"number_of_shards": %d, "number_of_replicas": 0%s}, "mappings": %s}""".formatted(
                        shape.shards(), refresh(refreshInterval), SystembaseWorkload.MAPPING));
    }

    private static String refresh(String interval) {
        return interval.equals("default") ? "" : ", \"refresh_interval\": \"" + interval + "\"";
    }

    /** The server's own copy, as its documentation recommends it; gives the seconds it took. */
    double reindex(String from, String to) throws IOException, InterruptedException {
        long began = System.nanoTime();
        send("POST", "_reindex?slices=auto&refresh=true", """
                {"source": {"index": "%s"}, "dest": {"index": "%s"}}""".formatted(from, to));
        return (System.nanoTime() - began) / 1e9;
    }

    void dropIndex(String index) throws IOException, InterruptedException {
        send("DELETE", index + "?ignore_unavailable=true", "");
    }

    private void send(String method, String path, String body) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(url + "/" + path))
                .timeout(Duration.ofMinutes(30))
                .header("content-type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> reply = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (reply.statusCode() >= 300) {
            throw new IOException(method + " " + path + " answered " + reply.statusCode() + ": " + reply.body());
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
        cluster.delete();
        Runtime.getRuntime().removeShutdownHook(undertaker);
    }
}
