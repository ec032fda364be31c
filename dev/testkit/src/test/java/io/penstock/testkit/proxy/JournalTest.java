package io.penstock.testkit.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.seeds.Seeds;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class JournalTest {

    private static final int CLIENTS = 16;
    private static final int REQUESTS = 25;

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
    }

    @Test
    void countsWhatTheServerAppliedUnderSixteenClientsAndFaults() throws Exception {
        proxy.random(
                42,
                0.4,
                List.of(
                        new Fault.DropBefore(),
                        new Fault.DropAfter(),
                        new Fault.ShortRequest(),
                        new Fault.FewerItems(),
                        new Fault.TruncatedReply(),
                        Fault.Status.applied(504),
                        Fault.Status.notApplied(503)));
        Map<ItemKey, Integer> sent = new ConcurrentHashMap<>();
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Seeds seeds = new Seeds(i);
                ends.add(clients.submit(() -> load(seeds, sent)));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        }

        Journal journal = proxy.journal();
        assertThat(journal.attempted()).isEqualTo(sent);
        assertThat(byId(journal.acknowledged())).isEqualTo(cluster.applied());
        assertThat(journal.requests()).isEqualTo(CLIENTS * REQUESTS);
        assertThat(journal.items())
                .isEqualTo(sent.values().stream().mapToLong(n -> n).sum());
        assertThat(journal.unreadableReplies()).isZero();
        assertThat(journal.maxConcurrentRequests()).isBetween(1, CLIENTS);
    }

    @Test
    void seesRequestsThatAreUnderWayTogether() throws Exception {
        CyclicBarrier together = new CyclicBarrier(CLIENTS);
        proxy.always(request -> {
            await(together);
            return Optional.empty();
        });
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CLIENTS; i++) {
                String body = index(Integer.toString(i));
                clients.execute(() -> post(body));
            }
        }
        assertThat(proxy.journal().maxConcurrentRequests()).isEqualTo(CLIENTS);
        assertThat(proxy.journal().acknowledgedIds()).hasSize(CLIENTS);
    }

    @Test
    void countsByOperationAndId() {
        post(
                "{\"create\":{\"_id\":\"a\"}}\n{}\n{\"delete\":{\"_id\":\"a\"}}\n{\"index\":{}}\n{}\n{\"index\":{\"_id\":\"b\"}}\n{\"x\":\"bad\"}\n");

        Journal journal = proxy.journal();
        assertThat(journal.attempted())
                .isEqualTo(Map.of(
                        new ItemKey("create", "a"), 1, new ItemKey("delete", "a"), 1, new ItemKey("index", "b"), 1));
        assertThat(journal.acknowledged())
                .containsOnlyKeys(
                        new ItemKey("create", "a"), new ItemKey("delete", "a"), new ItemKey("index", "chosen-5"));
        assertThat(journal.itemStatuses()).isEqualTo(Map.of(201, 3L, 400, 1L));
        assertThat(journal.items()).isEqualTo(4);
        assertThat(journal.unreadableReplies()).isZero();
    }

    @Test
    void keepsHeadsForQuestionsAboutWhatWasAsked() {
        post(index("a"));

        RequestHead head = proxy.journal().heads().getFirst();
        assertThat(head.method()).isEqualTo("POST");
        assertThat(head.path()).isEqualTo("/docs/_bulk");
        assertThat(head.query()).isEqualTo("filter_path=items.*.status");
        assertThat(head.header("content-TYPE")).contains("application/x-ndjson");
        assertThat(head.header("Authorization")).isEmpty();
        assertThat(proxy.journal().bodyBytes()).isEqualTo(index("a").length());
    }

    private void load(Seeds seeds, Map<ItemKey, Integer> sent) {
        for (int request = 0; request < REQUESTS; request++) {
            StringBuilder body = new StringBuilder();
            for (int i = 0; i < 8; i++) {
                // Few ids, so that clients write the same ones at the same time.
                String id = Integer.toString(seeds.intBetween(0, 50));
                body.append(index(id));
                sent.merge(new ItemKey("index", id), 1, Integer::sum);
            }
            post(body.toString());
        }
    }

    /** Sends once; what becomes of the reply is not this test's question. */
    private void post(String body) {
        HttpRequest request = HttpRequest.newBuilder(proxy.url().resolve("/docs/_bulk?filter_path=items.*.status"))
                .header("Content-Type", "application/x-ndjson")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body.getBytes(UTF_8)))
                .build();
        try {
            client.send(request, HttpResponse.BodyHandlers.discarding());
        } catch (IOException oneOfTheFaults) {
            // The faults of this test are meant to end like this.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String index(String id) {
        return "{\"index\":{\"_id\":\"" + id + "\"}}\n{\"x\":1}\n";
    }

    private static Map<String, Integer> byId(Map<ItemKey, Integer> counts) {
        return counts.entrySet().stream()
                .collect(Collectors.toMap(entry -> entry.getKey().id(), Map.Entry::getValue, Integer::sum));
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (InterruptedException | java.util.concurrent.BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }
}
