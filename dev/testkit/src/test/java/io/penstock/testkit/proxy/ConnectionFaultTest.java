package io.penstock.testkit.proxy;

import static io.penstock.testkit.proxy.ProxyFixture.ALL_FOUR;
import static io.penstock.testkit.proxy.ProxyFixture.elapsedMillis;
import static io.penstock.testkit.proxy.ProxyFixture.ids;
import static io.penstock.testkit.proxy.ProxyFixture.pairs;
import static io.penstock.testkit.proxy.ProxyFixture.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.SocketException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class ConnectionFaultTest {

    @RegisterExtension
    private final ProxyFixture on = new ProxyFixture();

    // Connections cut and hanging

    @Test
    void dropBeforeResetsAndNothingIsApplied() throws Exception {
        on.proxy().script(new Fault.DropBefore());
        try (RawClient raw = new RawClient(on.proxy().url())) {
            raw.sendBulk(pairs(4));
            assertThatThrownBy(raw::read).isInstanceOf(SocketException.class).hasMessageContaining("reset");
        }
        assertThat(on.cluster().applied()).isEmpty();
        assertThat(on.proxy().journal().attemptedIds()).containsExactlyInAnyOrder("0", "1", "2", "3");
    }

    @Test
    void dropAfterClosesAndAllIsApplied() throws Exception {
        on.proxy().script(new Fault.DropAfter());
        try (RawClient raw = new RawClient(on.proxy().url())) {
            raw.sendBulk(pairs(4));
            assertThat(raw.read()).isEqualTo(-1);
        }
        assertThat(on.cluster().applied()).isEqualTo(ALL_FOUR);
        assertThat(on.proxy().journal().acknowledgedIds()).hasSize(4);
    }

    @Test
    void dropsEitherWay() throws Exception {
        on.proxy().script(new Fault.DropBefore(Fault.Cut.CLOSE), new Fault.DropAfter(Fault.Cut.RESET));
        try (RawClient raw = new RawClient(on.proxy().url())) {
            raw.sendBulk(pairs(1));
            assertThat(raw.read()).isEqualTo(-1);
        }
        try (RawClient raw = new RawClient(on.proxy().url())) {
            raw.sendBulk(pairs(1));
            assertThatThrownBy(raw::read).isInstanceOf(SocketException.class);
        }
        assertThat(on.cluster().applied()).isEqualTo(Map.of("0", 1));
    }

    @Test
    void lateResetsAndIsAppliedAfterwards() throws Exception {
        on.proxy().script(new Fault.Late(Duration.ofSeconds(2)));
        try (RawClient raw = new RawClient(on.proxy().url())) {
            raw.sendBulk(pairs(4));
            assertThatThrownBy(raw::read).isInstanceOf(SocketException.class);
        }
        assertThat(on.cluster().applied()).as("not yet").isEmpty();
        until(() -> on.cluster().applied().equals(ALL_FOUR));
    }

    @Test
    void hangAppliesAndKeepsTheSocketOpenUntilTheProxyCloses() throws Exception {
        on.proxy().script(new Fault.Hang());
        CompletableFuture<HttpResponse<String>> reply = on.bulkAsync(4);
        until(() -> on.proxy().journal().acknowledged().size() == 4);
        assertThat(reply).isNotDone();
        assertThat(on.proxy().journal().concurrentRequests()).isEqualTo(1);

        on.proxy().close();

        assertThatThrownBy(() -> reply.get(20, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IOException.class);
        assertThat(on.cluster().applied()).isEqualTo(ALL_FOUR);
    }

    @Test
    void hangEndsWhenTheClientHangsUp() throws Exception {
        on.proxy().always(new Fault.HangBefore());
        for (int i = 0; i < 100; i++) {
            try (RawClient raw = new RawClient(on.proxy().url())) {
                raw.sendBulk(pairs(1));
            }
        }
        until(() -> on.proxy().journal().requests() == 100 && on.proxy().openSockets() == 0);
        assertThat(on.proxy().journal().concurrentRequests()).isZero();
    }

    @Test
    void hangBeforeAppliesNothing() throws Exception {
        on.proxy().script(new Fault.HangBefore());
        CompletableFuture<HttpResponse<String>> reply = on.bulkAsync(4);
        until(() -> on.proxy().journal().attempted().size() == 4);
        assertThat(reply).isNotDone();

        on.proxy().close();

        assertThatThrownBy(() -> reply.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(IOException.class);
        assertThat(on.cluster().applied()).isEmpty();
    }

    @Test
    void closeIdleClosesAfterARightReply() throws Exception {
        on.proxy().script(new Fault.CloseIdle(Duration.ofMillis(50)), new Fault.CloseIdle(Duration.ZERO));
        for (int i = 0; i < 2; i++) {
            try (RawClient raw = new RawClient(on.proxy().url())) {
                raw.sendBulk(pairs(1));
                String head = raw.head();
                assertThat(head).startsWith("HTTP/1.1 200").doesNotContain("close");
                assertThat(raw.body(head)).contains("201");
                assertThat(raw.read()).isEqualTo(-1);
            }
        }
        assertThat(on.cluster().applied()).isEqualTo(Map.of("0", 2));
    }

    // Slow

    @Test
    void slowReplyLetsBytesArriveAtItsRate() throws Exception {
        on.proxy().script(new Fault.SlowReply(2_000));
        long start = System.nanoTime();

        HttpResponse<String> reply = on.bulk(4);

        assertThat(elapsedMillis(start)).isGreaterThanOrEqualTo(reply.body().length() * 1_000L / 2_000 * 9 / 10);
        assertThat(ids(reply)).hasSize(4);
    }

    @Test
    void slowReplyGivesItsHeadAtOnceAndEndsWithTheProxy() throws Exception {
        on.proxy().script(new Fault.SlowReply(20));
        try (RawClient raw = new RawClient(on.proxy().url())) {
            raw.sendBulk(pairs(4));
            assertThat(raw.head()).startsWith("HTTP/1.1 200");
            assertThat(raw.read()).isEqualTo('{');
            assertThat(on.cluster().applied()).isEqualTo(ALL_FOUR);
        }
    }

    @Test
    void slowUploadTakesTheBodyAtItsRate() throws Exception {
        on.proxy().script(new Fault.SlowUpload(10_000));
        String body = pairs(100);
        long start = System.nanoTime();

        HttpResponse<String> reply = on.send(HttpRequest.BodyPublishers.ofString(body));

        assertThat(elapsedMillis(start)).isGreaterThanOrEqualTo(body.length() * 1_000L / 10_000 * 9 / 10);
        assertThat(ids(reply)).hasSize(100);
        assertThat(on.cluster().applied()).hasSize(100);
    }

    @Test
    void slowUploadBlocksTheClientsWrite() throws Exception {
        on.proxy().script(new Fault.SlowUpload(1));
        CompletableFuture<HttpResponse<String>> reply =
                on.sendAsync(HttpRequest.BodyPublishers.ofByteArray(new byte[64 << 20]));
        until(() -> on.proxy().journal().requests() == 1);
        assertThat(reply).isNotDone();

        on.proxy().close();

        assertThatThrownBy(() -> reply.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(IOException.class);
        assertThat(on.proxy().journal().bodyBytes()).isZero();
    }

    @Test
    void delayedReplyComesLaterAndWhole() throws Exception {
        on.proxy().script(new Fault.DelayedReply(Duration.ofMillis(200)));
        long start = System.nanoTime();

        assertThat(ids(on.bulk(4))).hasSize(4);
        assertThat(elapsedMillis(start)).isGreaterThanOrEqualTo(200);
        assertThat(on.cluster().applied()).isEqualTo(ALL_FOUR);
    }
}
