package io.penstock.testkit.proxy;

import static io.penstock.testkit.proxy.ProxyFixture.ids;
import static io.penstock.testkit.proxy.ProxyFixture.json;
import static io.penstock.testkit.proxy.ProxyFixture.pair;
import static io.penstock.testkit.proxy.ProxyFixture.pairs;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class LyingReplyTest {

    @RegisterExtension
    private final ProxyFixture on = new ProxyFixture();

    @Test
    void fewerItemsLosesTheLast() throws Exception {
        on.proxy().script(new Fault.FewerItems());
        assertThat(ids(on.bulk(4))).containsExactly("0", "1", "2");
        on.assertAllAppliedAndAcknowledged();
    }

    @Test
    void moreItemsRepeatsTheLast() throws Exception {
        on.proxy().script(new Fault.MoreItems());
        assertThat(ids(on.bulk(4))).containsExactly("0", "1", "2", "3", "3");
        on.assertAllAppliedAndAcknowledged();
    }

    @Test
    void swapItemsExchangesTheEnds() throws Exception {
        on.proxy().script(new Fault.SwapItems());
        assertThat(ids(on.bulk(4))).containsExactly("3", "1", "2", "0");
        on.assertAllAppliedAndAcknowledged();
    }

    @Test
    void duplicateItemKeepsTheCount() throws Exception {
        on.proxy().script(new Fault.DuplicateItem());
        assertThat(ids(on.bulk(4))).containsExactly("0", "0", "2", "3");
        on.assertAllAppliedAndAcknowledged();
    }

    @Test
    void flipErrorsFlagLiesBothWays() throws Exception {
        on.proxy().always(new Fault.FlipErrorsFlag());

        assertThat(json(on.bulk(4)).path("errors").asBoolean()).isTrue();
        JsonNode withBad = json(on.send(HttpRequest.BodyPublishers.ofString(pair("9", "bad"))));
        assertThat(withBad.path("errors").asBoolean()).isFalse();
        assertThat(withBad.at("/items/0/index/status").asInt()).isEqualTo(400);
        assertThat(on.proxy().journal().itemStatuses()).isEqualTo(Map.of(201, 4L, 400, 1L));
    }

    @Test
    void itemErrorCarriesAnErrorTheServerDidNotGive() throws Exception {
        on.proxy().script(new Fault.ItemError(2, 429, "rejected_execution_exception", "queue full"));

        JsonNode reply = json(on.bulk(4));

        assertThat(reply.path("errors").asBoolean()).isTrue();
        assertThat(reply.at("/items/2/index/status").asInt()).isEqualTo(429);
        assertThat(reply.at("/items/2/index/error/type").asText()).isEqualTo("rejected_execution_exception");
        assertThat(reply.at("/items/2/index/error/reason").asText()).isEqualTo("queue full");
        assertThat(reply.at("/items/1/index/status").asInt()).isEqualTo(201);
        on.assertAllAppliedAndAcknowledged();
    }

    @Test
    void editsAndCountsZippedRequestsAndReplies() throws Exception {
        on.proxy().script(new Fault.FewerItems(), new Fault.ShortRequest());
        for (int i = 0; i < 2; i++) {
            HttpRequest zipped = on.request(
                            HttpRequest.BodyPublishers.ofByteArray(StubCluster.gzip(pairs(4).getBytes(UTF_8))))
                    .header("Content-Encoding", "gzip")
                    .header("Accept-Encoding", i == 0 ? "gzip" : "identity")
                    .build();
            HttpResponse<String> reply = on.client().send(zipped, HttpResponse.BodyHandlers.ofString());
            assertThat(reply.headers().firstValue("Content-Encoding")).isEmpty();
            assertThat(ids(reply)).hasSize(i == 0 ? 3 : 2);
        }
        assertThat(on.proxy().journal().items()).isEqualTo(8);
        assertThat(on.proxy().journal().acknowledged()).containsEntry(new ItemKey("index", "0"), 2);
        assertThat(on.cluster().applied()).isEqualTo(Map.of("0", 2, "1", 2, "2", 1, "3", 1));
    }
}
