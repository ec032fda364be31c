package io.penstock.testkit.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultProxyTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, Integer> ALL_FOUR = Map.of("0", 1, "1", 1, "2", 1, "3", 1);

    private StubCluster cluster;
    private FaultProxy proxy;
    private HttpClient client;

    @BeforeEach
    void start() throws IOException {
        cluster = new StubCluster();
        proxy = FaultProxy.start(cluster.uri());
        client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    @AfterEach
    void stop() {
        proxy.close();
        client.shutdownNow();
        cluster.close();
        assertThat(proxy.openSockets()).isZero();
    }

    // No fault

    @Test
    void passesABulkRequestAndItsReply() throws Exception {
        HttpResponse<String> reply = bulk(4);

        assertThat(reply.statusCode()).isEqualTo(200);
        assertThat(reply.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(ids(reply)).containsExactly("0", "1", "2", "3");
        assertThat(cluster.applied()).isEqualTo(ALL_FOUR);
    }

    @Test
    void passesOtherRequestsWithTheirQueryWhateverTheRule() throws Exception {
        proxy.always(new Fault.DropBefore());

        HttpRequest get = HttpRequest.newBuilder(proxy.url().resolve("/docs/_search?q=a%20b"))
                .build();
        assertThat(client.send(get, HttpResponse.BodyHandlers.ofString()).body())
                .isEqualTo("{\"bytes\":0}");
        assertThat(cluster.targets()).containsExactly("GET /docs/_search?q=a%20b");
    }

    @Test
    void answersHeadWithoutABody() throws Exception {
        HttpRequest head = HttpRequest.newBuilder(proxy.url()).HEAD().build();

        assertThat(client.send(head, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(200);
        assertThat(bulk(1).statusCode()).isEqualTo(200);
    }

    @Test
    void carriesManyRequestsOnOneConnection() throws Exception {
        try (RawClient raw = new RawClient(proxy.url())) {
            for (int i = 0; i < 5; i++) {
                raw.sendBulk(pairs(1));
                assertThat(raw.body(raw.head())).contains("\"status\":201");
            }
        }
        assertThat(cluster.applied()).isEqualTo(Map.of("0", 5));
    }

    @Test
    void takesAChunkedRequest() throws Exception {
        HttpRequest.BodyPublisher chunked = HttpRequest.BodyPublishers.ofInputStream(
                () -> new java.io.ByteArrayInputStream(pairs(4).getBytes(UTF_8)));

        assertThat(send(chunked).statusCode()).isEqualTo(200);
        assertThat(cluster.applied()).isEqualTo(ALL_FOUR);
    }

    @Test
    void answersExpectContinueItself() throws Exception {
        try (RawClient raw = new RawClient(proxy.url())) {
            String body = pairs(1);
            raw.send("POST /_bulk HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: " + body.length()
                    + "\r\n\r\n");
            assertThat(raw.head()).startsWith("HTTP/1.1 100 ");
            raw.send(body);
            assertThat(raw.head()).startsWith("HTTP/1.1 200 ");
        }
        assertThat(cluster.applied()).containsOnlyKeys("0");
    }

    @Test
    void closesWhenTheClientAsksForIt() throws Exception {
        try (RawClient raw = new RawClient(proxy.url())) {
            raw.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            assertThat(raw.head()).contains("Connection: close");
            assertThat(raw.restUntilClose()).isEqualTo("{\"bytes\":0}");
        }
    }

    @Test
    void passesABodyOfHundredMegabytes() throws Exception {
        byte[] body = new byte[100 << 20];
        HttpRequest post = HttpRequest.newBuilder(proxy.url().resolve("/x"))
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();

        assertThat(client.send(post, HttpResponse.BodyHandlers.ofString()).body())
                .isEqualTo("{\"bytes\":" + body.length + "}");
    }

    @Test
    void closesTheClientWhenTheUpstreamIsGone() {
        cluster.close();

        assertThatThrownBy(() -> bulk(4)).isInstanceOf(IOException.class);
        assertThat(proxy.journal().attempted()).hasSize(4);
        assertThat(proxy.journal().acknowledged()).isEmpty();
    }

    @Test
    void refusesAnUpstreamItCannotSpeakTo() {
        assertThatThrownBy(() -> FaultProxy.start(URI.create("https://localhost:9200")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("https://localhost:9200");
    }

    // Connections cut and hanging

    @Test
    void dropBeforeResetsAndNothingIsApplied() throws Exception {
        proxy.script(new Fault.DropBefore());
        try (RawClient raw = new RawClient(proxy.url())) {
            raw.sendBulk(pairs(4));
            assertThatThrownBy(raw::read).isInstanceOf(SocketException.class).hasMessageContaining("reset");
        }
        assertThat(cluster.applied()).isEmpty();
        assertThat(proxy.journal().attemptedIds()).containsExactlyInAnyOrder("0", "1", "2", "3");
    }

    @Test
    void dropAfterClosesAndAllIsApplied() throws Exception {
        proxy.script(new Fault.DropAfter());
        try (RawClient raw = new RawClient(proxy.url())) {
            raw.sendBulk(pairs(4));
            assertThat(raw.read()).isEqualTo(-1);
        }
        assertThat(cluster.applied()).isEqualTo(ALL_FOUR);
        assertThat(proxy.journal().acknowledgedIds()).hasSize(4);
    }

    @Test
    void dropsEitherWay() throws Exception {
        proxy.script(new Fault.DropBefore(Fault.Cut.CLOSE), new Fault.DropAfter(Fault.Cut.RESET));
        try (RawClient raw = new RawClient(proxy.url())) {
            raw.sendBulk(pairs(1));
            assertThat(raw.read()).isEqualTo(-1);
        }
        try (RawClient raw = new RawClient(proxy.url())) {
            raw.sendBulk(pairs(1));
            assertThatThrownBy(raw::read).isInstanceOf(SocketException.class);
        }
        assertThat(cluster.applied()).isEqualTo(Map.of("0", 1));
    }

    @Test
    void hangAppliesAndKeepsTheSocketOpenUntilTheProxyCloses() throws Exception {
        proxy.script(new Fault.Hang());
        CompletableFuture<HttpResponse<String>> reply = bulkAsync(4);
        until(() -> proxy.journal().acknowledged().size() == 4);
        assertThat(reply).isNotDone();
        assertThat(proxy.journal().concurrentRequests()).isEqualTo(1);

        proxy.close();

        assertThatThrownBy(() -> reply.get(20, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IOException.class);
        assertThat(cluster.applied()).isEqualTo(ALL_FOUR);
    }

    @Test
    void hangEndsWhenTheClientHangsUp() throws Exception {
        proxy.always(new Fault.HangBefore());
        for (int i = 0; i < 100; i++) {
            try (RawClient raw = new RawClient(proxy.url())) {
                raw.sendBulk(pairs(1));
            }
        }
        until(() -> proxy.journal().requests() == 100 && proxy.openSockets() == 0);
        assertThat(proxy.journal().concurrentRequests()).isZero();
    }

    @Test
    void hangBeforeAppliesNothing() throws Exception {
        proxy.script(new Fault.HangBefore());
        CompletableFuture<HttpResponse<String>> reply = bulkAsync(4);
        until(() -> proxy.journal().attempted().size() == 4);
        assertThat(reply).isNotDone();

        proxy.close();

        assertThatThrownBy(() -> reply.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(IOException.class);
        assertThat(cluster.applied()).isEmpty();
    }

    @Test
    void closeIdleClosesAfterARightReply() throws Exception {
        proxy.script(new Fault.CloseIdle(Duration.ofMillis(50)), new Fault.CloseIdle(Duration.ZERO));
        for (int i = 0; i < 2; i++) {
            try (RawClient raw = new RawClient(proxy.url())) {
                raw.sendBulk(pairs(1));
                String head = raw.head();
                assertThat(head).startsWith("HTTP/1.1 200").doesNotContain("close");
                assertThat(raw.body(head)).contains("201");
                assertThat(raw.read()).isEqualTo(-1);
            }
        }
        assertThat(cluster.applied()).isEqualTo(Map.of("0", 2));
    }

    // Slow

    @Test
    void slowReplyLetsBytesArriveAtItsRate() throws Exception {
        proxy.script(new Fault.SlowReply(2_000));
        long start = System.nanoTime();

        HttpResponse<String> reply = bulk(4);

        assertThat(elapsedMillis(start)).isGreaterThanOrEqualTo(reply.body().length() * 1_000L / 2_000 * 9 / 10);
        assertThat(ids(reply)).hasSize(4);
    }

    @Test
    void slowReplyGivesItsHeadAtOnceAndEndsWithTheProxy() throws Exception {
        proxy.script(new Fault.SlowReply(1));
        try (RawClient raw = new RawClient(proxy.url())) {
            raw.sendBulk(pairs(4));
            assertThat(raw.head()).startsWith("HTTP/1.1 200");
            assertThat(raw.read()).isEqualTo('{');
            assertThat(cluster.applied()).isEqualTo(ALL_FOUR);
        }
    }

    @Test
    void slowUploadTakesTheBodyAtItsRate() throws Exception {
        proxy.script(new Fault.SlowUpload(10_000));
        String body = pairs(100);
        long start = System.nanoTime();

        HttpResponse<String> reply = send(HttpRequest.BodyPublishers.ofString(body));

        assertThat(elapsedMillis(start)).isGreaterThanOrEqualTo(body.length() * 1_000L / 10_000 * 9 / 10);
        assertThat(ids(reply)).hasSize(100);
        assertThat(cluster.applied()).hasSize(100);
    }

    @Test
    void slowUploadBlocksTheClientsWrite() throws Exception {
        proxy.script(new Fault.SlowUpload(1));
        CompletableFuture<HttpResponse<String>> reply =
                sendAsync(HttpRequest.BodyPublishers.ofByteArray(new byte[64 << 20]));
        until(() -> proxy.journal().requests() == 1);
        assertThat(reply).isNotDone();

        proxy.close();

        assertThatThrownBy(() -> reply.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(IOException.class);
        assertThat(proxy.journal().bodyBytes()).isZero();
    }

    @Test
    void delayedReplyComesLaterAndWhole() throws Exception {
        proxy.script(new Fault.DelayedReply(Duration.ofMillis(200)));
        long start = System.nanoTime();

        assertThat(ids(bulk(4))).hasSize(4);
        assertThat(elapsedMillis(start)).isGreaterThanOrEqualTo(200);
        assertThat(cluster.applied()).isEqualTo(ALL_FOUR);
    }

    // Cut replies and requests

    @Test
    void truncatedReplyIsAnErrorOfTheHttpLayer() {
        proxy.script(new Fault.TruncatedReply());

        assertThatThrownBy(() -> bulk(4)).isInstanceOf(IOException.class);
        assertThat(cluster.applied()).isEqualTo(ALL_FOUR);
    }

    @Test
    void truncatedCloseDelimitedLooksLikeASuccessOfTheHttpLayer() throws Exception {
        proxy.script(new Fault.TruncatedCloseDelimited());

        HttpResponse<String> reply = bulk(4);

        assertThat(reply.statusCode()).isEqualTo(200);
        assertThat(reply.body()).startsWith("{").doesNotEndWith("}");
        assertThat(cluster.applied()).isEqualTo(ALL_FOUR);
        assertThat(proxy.journal().acknowledgedIds()).hasSize(4);
    }

    @Test
    void shortRequestAppliesTheFirstHalf() throws Exception {
        proxy.script(new Fault.ShortRequest());

        assertThat(ids(bulk(4))).containsExactly("0", "1");
        assertThat(cluster.applied()).containsOnlyKeys("0", "1");
        assertThat(proxy.journal().attemptedIds()).hasSize(4);
        assertThat(proxy.journal().acknowledgedIds()).containsExactlyInAnyOrder("0", "1");
        assertThat(proxy.journal().unreadableReplies()).isZero();
    }

    // Lying replies

    @Test
    void fewerItemsLosesTheLast() throws Exception {
        proxy.script(new Fault.FewerItems());
        assertThat(ids(bulk(4))).containsExactly("0", "1", "2");
        assertAllAppliedAndAcknowledged();
    }

    @Test
    void moreItemsRepeatsTheLast() throws Exception {
        proxy.script(new Fault.MoreItems());
        assertThat(ids(bulk(4))).containsExactly("0", "1", "2", "3", "3");
        assertAllAppliedAndAcknowledged();
    }

    @Test
    void swapItemsExchangesTheEnds() throws Exception {
        proxy.script(new Fault.SwapItems());
        assertThat(ids(bulk(4))).containsExactly("3", "1", "2", "0");
        assertAllAppliedAndAcknowledged();
    }

    @Test
    void duplicateItemKeepsTheCount() throws Exception {
        proxy.script(new Fault.DuplicateItem());
        assertThat(ids(bulk(4))).containsExactly("0", "0", "2", "3");
        assertAllAppliedAndAcknowledged();
    }

    @Test
    void flipErrorsFlagLiesBothWays() throws Exception {
        proxy.always(new Fault.FlipErrorsFlag());

        assertThat(json(bulk(4)).path("errors").asBoolean()).isTrue();
        JsonNode withBad = json(send(HttpRequest.BodyPublishers.ofString(pair("9", "bad"))));
        assertThat(withBad.path("errors").asBoolean()).isFalse();
        assertThat(withBad.at("/items/0/index/status").asInt()).isEqualTo(400);
        assertThat(proxy.journal().itemStatuses()).isEqualTo(Map.of(201, 4L, 400, 1L));
    }

    @Test
    void itemErrorCarriesAnErrorTheServerDidNotGive() throws Exception {
        proxy.script(new Fault.ItemError(2, 429, "rejected_execution_exception", "queue full"));

        JsonNode reply = json(bulk(4));

        assertThat(reply.path("errors").asBoolean()).isTrue();
        assertThat(reply.at("/items/2/index/status").asInt()).isEqualTo(429);
        assertThat(reply.at("/items/2/index/error/type").asText()).isEqualTo("rejected_execution_exception");
        assertThat(reply.at("/items/2/index/error/reason").asText()).isEqualTo("queue full");
        assertThat(reply.at("/items/1/index/status").asInt()).isEqualTo(201);
        assertAllAppliedAndAcknowledged();
    }

    @Test
    void editsAndCountsZippedRequestsAndReplies() throws Exception {
        proxy.script(new Fault.FewerItems(), new Fault.ShortRequest());
        for (int i = 0; i < 2; i++) {
            HttpRequest zipped = request(
                            HttpRequest.BodyPublishers.ofByteArray(StubCluster.gzip(pairs(4).getBytes(UTF_8))))
                    .header("Content-Encoding", "gzip")
                    .header("Accept-Encoding", i == 0 ? "gzip" : "identity")
                    .build();
            HttpResponse<String> reply = client.send(zipped, HttpResponse.BodyHandlers.ofString());
            assertThat(reply.headers().firstValue("Content-Encoding")).isEmpty();
            assertThat(ids(reply)).hasSize(i == 0 ? 3 : 2);
        }
        assertThat(proxy.journal().items()).isEqualTo(8);
        assertThat(proxy.journal().acknowledged()).containsEntry(new ItemKey("index", "0"), 2);
        assertThat(cluster.applied()).isEqualTo(Map.of("0", 2, "1", 2, "2", 1, "3", 1));
    }

    // Replies of somebody else

    @Test
    void html200IsNotFromTheServer() throws Exception {
        proxy.script(new Fault.Html200());

        HttpResponse<String> reply = bulk(4);

        assertThat(reply.statusCode()).isEqualTo(200);
        assertThat(reply.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/html");
        assertThat(reply.body()).startsWith("<!DOCTYPE html>");
        assertThat(cluster.applied()).isEmpty();
    }

    @Test
    void redirectPointsElsewhere() throws Exception {
        try (FaultProxy other = FaultProxy.start(cluster.uri())) {
            proxy.script(new Fault.Redirect(other.url().resolve("/_bulk")), new Fault.Redirect(301, other.url()));

            HttpResponse<String> reply = bulk(4);

            assertThat(reply.statusCode()).isEqualTo(307);
            assertThat(reply.headers().firstValue("Location")).contains(other.url() + "/_bulk");
            assertThat(bulk(4).statusCode()).isEqualTo(301);
            assertThat(other.journal().heads()).isEmpty();
        }
        assertThat(cluster.applied()).isEmpty();
    }

    @Test
    void statusAnswersInPlaceOfTheServer() throws Exception {
        proxy.script(
                new Fault.Status(429, Map.of("Retry-After", "7"), "busy", false),
                Fault.Status.notApplied(502),
                Fault.Status.applied(504));

        HttpResponse<String> busy = bulk(4);

        assertThat(busy.statusCode()).isEqualTo(429);
        assertThat(busy.headers().firstValue("Retry-After")).contains("7");
        assertThat(busy.body()).isEqualTo("busy");
        assertThat(bulk(4).statusCode()).isEqualTo(502);
        assertThat(cluster.applied()).isEmpty();
        assertThat(bulk(4).statusCode()).isEqualTo(504);
        assertThat(cluster.applied()).isEqualTo(ALL_FOUR);
    }

    @Test
    void earlyReply413ComesBeforeTheBodyAndThenSilence() throws Exception {
        proxy.script(new Fault.EarlyReply413());
        try (RawClient raw = new RawClient(proxy.url())) {
            raw.send("POST /_bulk HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n");
            assertThat(raw.head()).startsWith("HTTP/1.1 413").contains("Content-Length: 0");

            raw.send("{");
            raw.socket().setSoTimeout(100);
            assertThatThrownBy(raw::read).isInstanceOf(SocketTimeoutException.class);
            raw.socket().setSoTimeout(0);
            proxy.close();
            assertThatThrownBy(() -> {
                        if (raw.read() < 0) {
                            throw new IOException("closed");
                        }
                    })
                    .isInstanceOf(IOException.class);
        }
        assertThat(cluster.targets()).isEmpty();
        assertThat(proxy.journal().concurrentRequests()).isZero();
    }

    // Hostile replies

    @Test
    void deepNestingIsTenThousandArrays() throws Exception {
        proxy.script(new Fault.HostileJson(Fault.HostileJson.Kind.DEEP_NESTING));

        String body = bulk(4).body();

        assertThat(body).startsWith("{\"deep\":" + "[".repeat(10_000) + "]").endsWith("}");
        assertAllAppliedAndAcknowledged();
    }

    @Test
    void paddingIsStreamedWithoutALength() throws Exception {
        long bytes = 300L << 20;
        proxy.script(new Fault.HostileJson(Fault.HostileJson.Kind.PADDING, bytes));

        HttpResponse<InputStream> reply = client.send(
                request(HttpRequest.BodyPublishers.ofString(pairs(4))).build(),
                HttpResponse.BodyHandlers.ofInputStream());

        assertThat(reply.headers().firstValue("Content-Length")).isEmpty();
        try (InputStream body = reply.body()) {
            assertThat(body.readNBytes(13)).asString(UTF_8).isEqualTo("{\"padding\":\"x");
            body.skipNBytes(bytes - 1);
            JsonNode rest = JSON.readTree("{\"padding\":\"" + new String(body.readAllBytes(), UTF_8));
            assertThat(rest.path("items")).hasSize(4);
        }
        assertAllAppliedAndAcknowledged();
    }

    @Test
    void nanStandsWhereTheStatusWas() throws Exception {
        proxy.script(new Fault.HostileJson(Fault.HostileJson.Kind.NAN));
        HttpResponse<String> reply = bulk(4);
        assertThat(reply.body()).contains("\"status\":NaN").doesNotContain("\"status\":201");
        assertThatThrownBy(() -> json(reply)).hasMessageContaining("NaN");
        assertAllAppliedAndAcknowledged();
    }

    @Test
    void duplicateKeysSayBothStatuses() throws Exception {
        proxy.script(new Fault.HostileJson(Fault.HostileJson.Kind.DUPLICATE_KEYS));
        HttpResponse<String> reply = bulk(4);
        assertThat(reply.body()).contains("{\"status\":400,", "\"status\":201");
        assertThat(json(reply).at("/items/0/index/status").asInt()).isEqualTo(201);
        assertAllAppliedAndAcknowledged();
    }

    @Test
    void statusAsTextIsText() throws Exception {
        proxy.script(new Fault.HostileJson(Fault.HostileJson.Kind.STATUS_AS_TEXT));
        assertThat(json(bulk(4)).at("/items/0/index/status").isTextual()).isTrue();
        assertAllAppliedAndAcknowledged();
    }

    // Poison

    @Test
    void rejectItemsRefusesTheWholeRequestForOneDocument() throws Exception {
        proxy.always(new Fault.RejectItems(source -> new String(source, UTF_8).contains("poison")));

        HttpResponse<String> refused = send(HttpRequest.BodyPublishers.ofString(pairs(4) + pair("p", "poison")));

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(json(refused).at("/error/type").asText()).isEqualTo("illegal_argument_exception");
        assertThat(cluster.applied()).isEmpty();
        assertThat(bulk(4).statusCode()).isEqualTo(200);
        assertThat(cluster.applied()).isEqualTo(ALL_FOUR);
    }

    @Test
    void closeOnPoisonGivesNoReplyForOneDocument() throws Exception {
        proxy.always(new Fault.CloseOnPoison(source -> new String(source, UTF_8).equals("{\"text\":\"poison\"}")));
        try (RawClient raw = new RawClient(proxy.url())) {
            raw.sendBulk(pair("p", "poison") + pairs(4));
            assertThat(raw.read()).isEqualTo(-1);
        }
        assertThat(cluster.applied()).isEmpty();
        assertThat(bulk(4).statusCode()).isEqualTo(200);
    }

    // Choosing

    @Test
    void scriptIsUsedUpByMatchingRequestsOnly() throws Exception {
        proxy.script(new Fault.Pass(), Fault.Status.notApplied(503));

        assertThat(client.send(HttpRequest.newBuilder(proxy.url()).build(), HttpResponse.BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(200);
        assertThat(List.of(status(), status(), status(), status())).containsExactly(200, 503, 200, 200);
    }

    @Test
    void matchChoosesOtherRequests() throws Exception {
        proxy.match(head -> head.path().endsWith("/_flush")).always(Fault.Status.notApplied(503));

        HttpRequest flush = HttpRequest.newBuilder(proxy.url().resolve("/docs/_flush?force"))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();

        assertThat(client.send(flush, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(503);
        assertThat(status()).isEqualTo(200);
    }

    @Test
    void ruleSeesNumberHeadAndActionsUntilHealed() throws Exception {
        proxy.always(request -> request.number() == 1
                        && request.head().query().equals("timeout=1m")
                        && request.actions().size() == 4
                        && request.anySource(source -> new String(source, UTF_8).equals("{\"text\":\"2\"}"))
                ? Optional.of(Fault.Status.notApplied(503))
                : Optional.empty());

        assertThat(List.of(status(), status(), status())).containsExactly(200, 503, 200);
        proxy.always(Fault.Status.notApplied(502));
        assertThat(status()).isEqualTo(502);
        proxy.heal();
        assertThat(status()).isEqualTo(200);
    }

    @Test
    void randomIsTheSameForTheSameSeed() throws Exception {
        List<Fault> faults = List.of(Fault.Status.notApplied(502), Fault.Status.notApplied(503));
        List<List<Integer>> runs = new ArrayList<>();
        for (long seed : new long[] {7, 7, 8}) {
            proxy.random(seed, 0.5, faults);
            List<Integer> run = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                run.add(status());
            }
            runs.add(run);
        }
        assertThat(runs.get(0)).isEqualTo(runs.get(1)).isNotEqualTo(runs.get(2)).contains(200, 502, 503);
    }

    @Test
    void aFailingRuleIsToldAtTheEnd() throws Exception {
        FaultProxy broken = FaultProxy.start(cluster.uri());
        broken.always(request -> {
            throw new IllegalArgumentException("my rule");
        });
        try (RawClient raw = new RawClient(broken.url())) {
            raw.sendBulk(pairs(1));
            assertThat(raw.read()).isEqualTo(-1);
        }
        assertThatThrownBy(broken::close).hasRootCauseMessage("my rule");
    }

    // Closing

    @Test
    void closeEndsEveryConnectionAndRefusesNewOnes() throws Exception {
        CountDownLatch chosen = new CountDownLatch(3);
        List<Fault> slow =
                List.of(new Fault.Hang(), new Fault.DelayedReply(Duration.ofDays(1)), new Fault.SlowReply(1));
        proxy.always(request -> {
            chosen.countDown();
            return Optional.of(slow.get((int) request.number() % 3));
        });
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            clients.add(new RawClient(proxy.url()));
        }
        for (RawClient busy : clients.subList(0, 3)) {
            busy.sendBulk(pairs(4));
        }
        chosen.await();

        proxy.close();
        proxy.close();

        assertThat(proxy.openSockets()).isZero();
        assertThatThrownBy(() -> new RawClient(proxy.url())).isInstanceOf(IOException.class);
        for (RawClient raw : clients) {
            try (raw) {
                raw.restUntilClose();
            } catch (SocketException resetIsAnEndAsWell) {
                assertThat(resetIsAnEndAsWell).hasMessageContaining("reset");
            }
        }
    }

    private void assertAllAppliedAndAcknowledged() {
        assertThat(cluster.applied()).isEqualTo(ALL_FOUR);
        assertThat(proxy.journal().acknowledged())
                .isEqualTo(IntStream.range(0, 4)
                        .boxed()
                        .collect(Collectors.toMap(i -> new ItemKey("index", Integer.toString(i)), i -> 1)));
    }

    private int status() throws Exception {
        return bulk(4).statusCode();
    }

    private HttpResponse<String> bulk(int count) throws IOException, InterruptedException {
        return send(HttpRequest.BodyPublishers.ofString(pairs(count)));
    }

    private CompletableFuture<HttpResponse<String>> bulkAsync(int count) {
        return sendAsync(HttpRequest.BodyPublishers.ofString(pairs(count)));
    }

    private HttpResponse<String> send(HttpRequest.BodyPublisher body) throws IOException, InterruptedException {
        return client.send(request(body).build(), HttpResponse.BodyHandlers.ofString());
    }

    private CompletableFuture<HttpResponse<String>> sendAsync(HttpRequest.BodyPublisher body) {
        return client.sendAsync(request(body).build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(HttpRequest.BodyPublisher body) {
        return HttpRequest.newBuilder(proxy.url().resolve("/_bulk?timeout=1m"))
                .header("Content-Type", "application/x-ndjson")
                .POST(body);
    }

    private static String pairs(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> pair(Integer.toString(i), Integer.toString(i)))
                .collect(Collectors.joining());
    }

    private static String pair(String id, String text) {
        return "{\"index\":{\"_id\":\"" + id + "\"}}\n{\"text\":\"" + text + "\"}\n";
    }

    private static JsonNode json(HttpResponse<String> reply) throws IOException {
        return JSON.readTree(reply.body());
    }

    private static List<String> ids(HttpResponse<String> reply) throws IOException {
        return json(reply).path("items").findValuesAsText("_id");
    }

    private static long elapsedMillis(long startNanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    }

    private static void until(Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(condition);
    }
}
