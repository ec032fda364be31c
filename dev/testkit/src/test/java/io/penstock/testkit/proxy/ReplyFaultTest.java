package io.penstock.testkit.proxy;

import static io.penstock.testkit.proxy.ProxyFixture.ALL_FOUR;
import static io.penstock.testkit.proxy.ProxyFixture.JSON;
import static io.penstock.testkit.proxy.ProxyFixture.ids;
import static io.penstock.testkit.proxy.ProxyFixture.json;
import static io.penstock.testkit.proxy.ProxyFixture.pair;
import static io.penstock.testkit.proxy.ProxyFixture.pairs;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class ReplyFaultTest {

    @RegisterExtension
    private final ProxyFixture on = new ProxyFixture();

    // Cut replies and requests

    @Test
    void truncatedReplyIsAnErrorOfTheHttpLayer() {
        on.proxy().script(new Fault.TruncatedReply());

        assertThatThrownBy(() -> on.bulk(4)).isInstanceOf(IOException.class);
        assertThat(on.cluster().applied()).isEqualTo(ALL_FOUR);
    }

    @Test
    void truncatedCloseDelimitedLooksLikeASuccessOfTheHttpLayer() throws Exception {
        on.proxy().script(new Fault.TruncatedCloseDelimited());

        HttpResponse<String> reply = on.bulk(4);

        assertThat(reply.statusCode()).isEqualTo(200);
        assertThat(reply.body()).startsWith("{").doesNotEndWith("}");
        assertThat(on.cluster().applied()).isEqualTo(ALL_FOUR);
        assertThat(on.proxy().journal().acknowledgedIds()).hasSize(4);
    }

    @Test
    void shortRequestAppliesTheFirstHalf() throws Exception {
        on.proxy().script(new Fault.ShortRequest());

        assertThat(ids(on.bulk(4))).containsExactly("0", "1");
        assertThat(on.cluster().applied()).containsOnlyKeys("0", "1");
        assertThat(on.proxy().journal().attemptedIds()).hasSize(4);
        assertThat(on.proxy().journal().acknowledgedIds()).containsExactlyInAnyOrder("0", "1");
        assertThat(on.proxy().journal().unreadableReplies()).isZero();
    }

    // Replies of somebody else

    @Test
    void html200IsNotFromTheServer() throws Exception {
        on.proxy().script(new Fault.Html200());

        HttpResponse<String> reply = on.bulk(4);

        assertThat(reply.statusCode()).isEqualTo(200);
        assertThat(reply.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/html");
        assertThat(reply.body()).startsWith("<!DOCTYPE html>");
        assertThat(on.cluster().applied()).isEmpty();
    }

    @Test
    void redirectPointsElsewhere() throws Exception {
        try (FaultProxy other = FaultProxy.start(on.cluster().uri())) {
            on.proxy().script(new Fault.Redirect(other.url().resolve("/_bulk")), new Fault.Redirect(301, other.url()));

            HttpResponse<String> reply = on.bulk(4);

            assertThat(reply.statusCode()).isEqualTo(307);
            assertThat(reply.headers().firstValue("Location")).contains(other.url() + "/_bulk");
            assertThat(on.bulk(4).statusCode()).isEqualTo(301);
            assertThat(other.journal().heads()).isEmpty();
        }
        assertThat(on.cluster().applied()).isEmpty();
    }

    @Test
    void statusAnswersInPlaceOfTheServer() throws Exception {
        on.proxy()
                .script(
                        new Fault.Status(429, Map.of("Retry-After", "7"), "busy", false),
                        Fault.Status.notApplied(502),
                        Fault.Status.applied(504));

        HttpResponse<String> busy = on.bulk(4);

        assertThat(busy.statusCode()).isEqualTo(429);
        assertThat(busy.headers().firstValue("Retry-After")).contains("7");
        assertThat(busy.body()).isEqualTo("busy");
        assertThat(on.bulk(4).statusCode()).isEqualTo(502);
        assertThat(on.cluster().applied()).isEmpty();
        assertThat(on.bulk(4).statusCode()).isEqualTo(504);
        assertThat(on.cluster().applied()).isEqualTo(ALL_FOUR);
    }

    @Test
    void earlyReply413ComesBeforeTheBodyAndThenSilence() throws Exception {
        on.proxy().script(new Fault.EarlyReply413());
        try (RawClient raw = new RawClient(on.proxy().url())) {
            raw.send("POST /_bulk HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n");
            assertThat(raw.head()).startsWith("HTTP/1.1 413").contains("Content-Length: 0");

            raw.send("{");
            raw.socket().setSoTimeout(100);
            assertThatThrownBy(raw::read).isInstanceOf(SocketTimeoutException.class);
            raw.socket().setSoTimeout(0);
            on.proxy().close();
            assertThatThrownBy(() -> {
                        if (raw.read() < 0) {
                            throw new IOException("closed");
                        }
                    })
                    .isInstanceOf(IOException.class);
        }
        assertThat(on.cluster().targets()).isEmpty();
        assertThat(on.proxy().journal().concurrentRequests()).isZero();
    }

    // Hostile replies

    @Test
    void deepNestingIsTenThousandArrays() throws Exception {
        on.proxy().script(new Fault.HostileJson(Fault.HostileJson.Kind.DEEP_NESTING));

        String body = on.bulk(4).body();

        assertThat(body).startsWith("{\"deep\":" + "[".repeat(10_000) + "]").endsWith("}");
        on.assertAllAppliedAndAcknowledged();
    }

    @Test
    void paddingIsStreamedWithoutALength() throws Exception {
        long bytes = 300L << 20;
        on.proxy().script(new Fault.HostileJson(Fault.HostileJson.Kind.PADDING, bytes));

        HttpResponse<InputStream> reply = on.client()
                .send(
                        on.request(HttpRequest.BodyPublishers.ofString(pairs(4)))
                                .build(),
                        HttpResponse.BodyHandlers.ofInputStream());

        assertThat(reply.headers().firstValue("Content-Length")).isEmpty();
        try (InputStream body = reply.body()) {
            assertThat(body.readNBytes(13)).asString(UTF_8).isEqualTo("{\"padding\":\"x");
            body.skipNBytes(bytes - 1);
            JsonNode rest = JSON.readTree("{\"padding\":\"" + new String(body.readAllBytes(), UTF_8));
            assertThat(rest.path("items")).hasSize(4);
        }
        on.assertAllAppliedAndAcknowledged();
    }

    @Test
    void nanStandsWhereTheStatusWas() throws Exception {
        on.proxy().script(new Fault.HostileJson(Fault.HostileJson.Kind.NAN));
        HttpResponse<String> reply = on.bulk(4);
        assertThat(reply.body()).contains("\"status\":NaN").doesNotContain("\"status\":201");
        assertThatThrownBy(() -> json(reply)).hasMessageContaining("NaN");
        on.assertAllAppliedAndAcknowledged();
    }

    @Test
    void duplicateKeysSayBothStatuses() throws Exception {
        on.proxy().script(new Fault.HostileJson(Fault.HostileJson.Kind.DUPLICATE_KEYS));
        HttpResponse<String> reply = on.bulk(4);
        assertThat(reply.body()).contains("{\"status\":400,", "\"status\":201");
        assertThat(json(reply).at("/items/0/index/status").asInt()).isEqualTo(201);
        on.assertAllAppliedAndAcknowledged();
    }

    @Test
    void statusAsTextIsText() throws Exception {
        on.proxy().script(new Fault.HostileJson(Fault.HostileJson.Kind.STATUS_AS_TEXT));
        assertThat(json(on.bulk(4)).at("/items/0/index/status").isTextual()).isTrue();
        on.assertAllAppliedAndAcknowledged();
    }

    // Poison

    @Test
    void rejectItemsRefusesTheWholeRequestForOneDocument() throws Exception {
        on.proxy().always(new Fault.RejectItems(source -> new String(source, UTF_8).contains("poison")));

        HttpResponse<String> refused = on.send(HttpRequest.BodyPublishers.ofString(pairs(4) + pair("p", "poison")));

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(json(refused).at("/error/type").asText()).isEqualTo("illegal_argument_exception");
        assertThat(on.cluster().applied()).isEmpty();
        assertThat(on.bulk(4).statusCode()).isEqualTo(200);
        assertThat(on.cluster().applied()).isEqualTo(ALL_FOUR);
    }

    @Test
    void closeOnPoisonGivesNoReplyForOneDocument() throws Exception {
        on.proxy().always(new Fault.CloseOnPoison(source -> new String(source, UTF_8).equals("{\"text\":\"poison\"}")));
        try (RawClient raw = new RawClient(on.proxy().url())) {
            raw.sendBulk(pair("p", "poison") + pairs(4));
            assertThat(raw.read()).isEqualTo(-1);
        }
        assertThat(on.cluster().applied()).isEmpty();
        assertThat(on.bulk(4).statusCode()).isEqualTo(200);
    }
}
