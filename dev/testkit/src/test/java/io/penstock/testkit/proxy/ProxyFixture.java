package io.penstock.testkit.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A stub cluster, a proxy before it and a client, new for each test. */
final class ProxyFixture implements BeforeEachCallback, AfterEachCallback {

    static final ObjectMapper JSON = new ObjectMapper();
    static final Map<String, Integer> ALL_FOUR = Map.of("0", 1, "1", 1, "2", 1, "3", 1);

    private @Nullable StubCluster cluster;
    private @Nullable FaultProxy proxy;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        cluster = new StubCluster();
        proxy = FaultProxy.start(cluster.uri());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        proxy().close();
        client.shutdownNow();
        cluster().close();
        assertThat(proxy().openSockets()).isZero();
    }

    StubCluster cluster() {
        return Objects.requireNonNull(cluster);
    }

    FaultProxy proxy() {
        return Objects.requireNonNull(proxy);
    }

    HttpClient client() {
        return client;
    }

    void assertAllAppliedAndAcknowledged() {
        assertThat(cluster().applied()).isEqualTo(ALL_FOUR);
        assertThat(proxy().journal().acknowledged())
                .isEqualTo(IntStream.range(0, 4)
                        .boxed()
                        .collect(Collectors.toMap(i -> new ItemKey("index", Integer.toString(i)), i -> 1)));
    }

    int status() throws Exception {
        return bulk(4).statusCode();
    }

    HttpResponse<String> bulk(int count) throws IOException, InterruptedException {
        return send(HttpRequest.BodyPublishers.ofString(pairs(count)));
    }

    CompletableFuture<HttpResponse<String>> bulkAsync(int count) {
        return sendAsync(HttpRequest.BodyPublishers.ofString(pairs(count)));
    }

    HttpResponse<String> send(HttpRequest.BodyPublisher body) throws IOException, InterruptedException {
        return client.send(request(body).build(), HttpResponse.BodyHandlers.ofString());
    }

    CompletableFuture<HttpResponse<String>> sendAsync(HttpRequest.BodyPublisher body) {
        return client.sendAsync(request(body).build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpRequest.Builder request(HttpRequest.BodyPublisher body) {
        return HttpRequest.newBuilder(proxy().url().resolve("/_bulk?timeout=1m"))
                .header("Content-Type", "application/x-ndjson")
                .POST(body);
    }

    static String pairs(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> pair(Integer.toString(i), Integer.toString(i)))
                .collect(Collectors.joining());
    }

    static String pair(String id, String text) {
        return "{\"index\":{\"_id\":\"" + id + "\"}}\n{\"text\":\"" + text + "\"}\n";
    }

    static JsonNode json(HttpResponse<String> reply) throws IOException {
        return JSON.readTree(reply.body());
    }

    static List<String> ids(HttpResponse<String> reply) throws IOException {
        return json(reply).path("items").findValuesAsText("_id");
    }

    static long elapsedMillis(long startNanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    }

    static void until(Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(condition);
    }
}
