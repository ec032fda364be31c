package io.penstock.testkit.proxy;

import static io.penstock.testkit.proxy.ProxyFixture.ALL_FOUR;
import static io.penstock.testkit.proxy.ProxyFixture.ids;
import static io.penstock.testkit.proxy.ProxyFixture.pairs;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class FaultProxyTest {

    @RegisterExtension
    private final ProxyFixture on = new ProxyFixture();

    // No fault

    @Test
    void passesABulkRequestAndItsReply() throws Exception {
        HttpResponse<String> reply = on.bulk(4);

        assertThat(reply.statusCode()).isEqualTo(200);
        assertThat(reply.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(ids(reply)).containsExactly("0", "1", "2", "3");
        assertThat(on.cluster().applied()).isEqualTo(ALL_FOUR);
    }

    @Test
    void passesOtherRequestsWithTheirQueryWhateverTheRule() throws Exception {
        on.proxy().always(new Fault.DropBefore());

        HttpRequest get = HttpRequest.newBuilder(on.proxy().url().resolve("/docs/_search?q=a%20b"))
                .build();
        assertThat(on.client().send(get, HttpResponse.BodyHandlers.ofString()).body())
                .isEqualTo("{\"bytes\":0}");
        assertThat(on.cluster().targets()).containsExactly("GET /docs/_search?q=a%20b");
    }

    @Test
    void answersHeadWithoutABody() throws Exception {
        HttpRequest head = HttpRequest.newBuilder(on.proxy().url()).HEAD().build();

        assertThat(on.client().send(head, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(200);
        assertThat(on.bulk(1).statusCode()).isEqualTo(200);
    }

    @Test
    void carriesManyRequestsOnOneConnection() throws Exception {
        try (RawClient raw = new RawClient(on.proxy().url())) {
            for (int i = 0; i < 5; i++) {
                raw.sendBulk(pairs(1));
                assertThat(raw.body(raw.head())).contains("\"status\":201");
            }
        }
        assertThat(on.cluster().applied()).isEqualTo(Map.of("0", 5));
    }

    @Test
    void takesAChunkedRequest() throws Exception {
        HttpRequest.BodyPublisher chunked =
                HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(pairs(4).getBytes(UTF_8)));

        assertThat(on.send(chunked).statusCode()).isEqualTo(200);
        assertThat(on.cluster().applied()).isEqualTo(ALL_FOUR);
    }

    @Test
    void answersExpectContinueItself() throws Exception {
        try (RawClient raw = new RawClient(on.proxy().url())) {
            String body = pairs(1);
            raw.send("POST /_bulk HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: " + body.length()
                    + "\r\n\r\n");
            assertThat(raw.head()).startsWith("HTTP/1.1 100 ");
            raw.send(body);
            assertThat(raw.head()).startsWith("HTTP/1.1 200 ");
        }
        assertThat(on.cluster().applied()).containsOnlyKeys("0");
    }

    @Test
    void closesWhenTheClientAsksForIt() throws Exception {
        try (RawClient raw = new RawClient(on.proxy().url())) {
            raw.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            assertThat(raw.head()).contains("Connection: close");
            assertThat(raw.restUntilClose()).isEqualTo("{\"bytes\":0}");
        }
    }

    @Test
    void passesABodyOfHundredMegabytes() throws Exception {
        byte[] body = new byte[100 << 20];
        HttpRequest post = HttpRequest.newBuilder(on.proxy().url().resolve("/x"))
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();

        assertThat(on.client().send(post, HttpResponse.BodyHandlers.ofString()).body())
                .isEqualTo("{\"bytes\":" + body.length + "}");
    }

    @Test
    void closesTheClientWhenTheUpstreamIsGone() {
        on.cluster().close();

        assertThatThrownBy(() -> on.bulk(4)).isInstanceOf(IOException.class);
        assertThat(on.proxy().journal().attempted()).hasSize(4);
        assertThat(on.proxy().journal().acknowledged()).isEmpty();
    }

    @Test
    void refusesAnUpstreamItCannotSpeakTo() {
        assertThatThrownBy(() -> FaultProxy.start(URI.create("https://localhost:9200")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("https://localhost:9200");
    }

    // Choosing

    @Test
    void scriptIsUsedUpByMatchingRequestsOnly() throws Exception {
        on.proxy().script(new Fault.Pass(), Fault.Status.notApplied(503));

        assertThat(on.client()
                        .send(HttpRequest.newBuilder(on.proxy().url()).build(), HttpResponse.BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(200);
        assertThat(List.of(on.status(), on.status(), on.status(), on.status())).containsExactly(200, 503, 200, 200);
    }

    @Test
    void matchChoosesOtherRequests() throws Exception {
        on.proxy().match(head -> head.path().endsWith("/_flush")).always(Fault.Status.notApplied(503));

        HttpRequest flush = HttpRequest.newBuilder(on.proxy().url().resolve("/docs/_flush?force"))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();

        assertThat(on.client().send(flush, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(503);
        assertThat(on.status()).isEqualTo(200);
    }

    @Test
    void ruleSeesNumberHeadAndActionsUntilHealed() throws Exception {
        on.proxy()
                .always(request -> request.number() == 1
                                && request.head().query().equals("timeout=1m")
                                && request.actions().size() == 4
                                && request.anySource(source -> new String(source, UTF_8).equals("{\"text\":\"2\"}"))
                        ? Optional.of(Fault.Status.notApplied(503))
                        : Optional.empty());

        assertThat(List.of(on.status(), on.status(), on.status())).containsExactly(200, 503, 200);
        on.proxy().always(Fault.Status.notApplied(502));
        assertThat(on.status()).isEqualTo(502);
        on.proxy().heal();
        assertThat(on.status()).isEqualTo(200);
    }

    @Test
    void randomIsTheSameForTheSameSeed() throws Exception {
        List<Fault> faults = List.of(Fault.Status.notApplied(502), Fault.Status.notApplied(503));
        List<List<Integer>> runs = new ArrayList<>();
        for (long seed : new long[] {7, 7, 8}) {
            on.proxy().random(seed, 0.5, faults);
            List<Integer> run = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                run.add(on.status());
            }
            runs.add(run);
        }
        assertThat(runs.get(0)).isEqualTo(runs.get(1)).isNotEqualTo(runs.get(2)).contains(200, 502, 503);
    }

    @Test
    void aFailingRuleIsToldAtTheEnd() throws Exception {
        FaultProxy broken = FaultProxy.start(on.cluster().uri());
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
        on.proxy().always(request -> {
            chosen.countDown();
            return Optional.of(slow.get((int) request.number() % 3));
        });
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            clients.add(new RawClient(on.proxy().url()));
        }
        for (RawClient busy : clients.subList(0, 3)) {
            busy.sendBulk(pairs(4));
        }
        chosen.await();

        on.proxy().close();
        on.proxy().close();

        assertThat(on.proxy().openSockets()).isZero();
        assertThatThrownBy(() -> new RawClient(on.proxy().url())).isInstanceOf(IOException.class);
        for (RawClient raw : clients) {
            try (raw) {
                raw.restUntilClose();
            } catch (SocketException resetIsAnEndAsWell) {
                assertThat(resetIsAnEndAsWell).hasMessageContaining("reset");
            }
        }
    }
}
