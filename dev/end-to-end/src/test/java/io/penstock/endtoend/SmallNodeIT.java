package io.penstock.endtoend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.event.LoadEvent;
import io.penstock.core.window.Outcome;
import io.penstock.job.ExitCode;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.seeds.NumberedDocuments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node with one write thread, a queue of one, and little patience with large bodies; it may also be killed here. */
@Tag("torture")
@RealNode(
        heap = "512m",
        settings = {"thread_pool.write.size=1", "thread_pool.write.queue_size=1", "http.max_content_length=1mb"})
class SmallNodeIT {
    private static final String FIVE_SHARDS = "{\"index.number_of_shards\":5,\"index.number_of_replicas\":0}";

    @TempDir
    Path folder;

    private Scene scene;

    @BeforeEach
    void open(RealCluster cluster) {
        scene = new Scene(cluster, folder, "small");
    }

    @AfterEach
    void close() {
        scene.close();
    }

    /** Row 40: rejected items are sent again, and only those: the server carries out one write for each document. */
    @Test
    void sendsOnlyRejectedItemsAgainWhenTheWriteQueueIsFull() {
        scene.documents(NumberedDocuments.of(4000));
        LoadUnderTest.Outcome outcome =
                scene.load().settings(FIVE_SHARDS).window(16 << 10, 8).run();
        scene.ledger().provesAllIndexed(outcome);
        assertThat(scene.proxy().journal().itemStatuses().get(429))
                .as("rejected items")
                .isPositive();
        assertThat(scene.cluster().writes("small")).as("index_total").isEqualTo(4000);
    }

    /** Row 76: others keep the queue full the whole time; the load is slow and comes to its end. */
    @Test
    void comesToItsEndWhileOthersKeepTheQueueFull() throws Exception {
        scene.cluster().put("/foreign", "{\"settings\":{\"number_of_shards\":1,\"number_of_replicas\":0}}");
        AtomicBoolean enough = new AtomicBoolean();
        String bulk = IntStream.range(0, 100)
                .mapToObj(i -> "{\"index\":{\"_id\":\"" + i + "\"}}\n{\"a\":" + i + "}\n")
                .reduce("", String::concat);
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = IntStream.range(0, 8)
                    .<Future<?>>mapToObj(i -> clients.submit(() -> {
                        while (!enough.get()) {
                            scene.cluster().call("POST", "/foreign/_bulk", bulk);
                        }
                    }))
                    .toList();
            try {
                LoadUnderTest.Outcome outcome =
                        scene.load().settings(FIVE_SHARDS).freeConcurrency().run();
                scene.ledger().provesAllIndexed(outcome);
                assertThat(outcome.events(LoadEvent.RequestEnded.class))
                        .anyMatch(ended -> ended.outcome() == Outcome.PUSHED_BACK);
                assertThat(outcome.report().window().orElseThrow().concurrency())
                        .isPositive();
                assertThat(outcome.took()).isLessThan(Duration.ofSeconds(50));
            } finally {
                enough.set(true);
            }
            for (Future<?> client : running) {
                client.get();
            }
        } finally {
            scene.cluster().delete("/foreign");
        }
    }

    /** Row 32, on a real server: what is too large for it alone is given up as that, and nothing else. */
    @Test
    void givesUpOnlyTheDocumentThatIsTooLargeForTheServer() throws IOException {
        String[] lines =
                IntStream.range(0, 1000).mapToObj(scene.documents()::line).toArray(String[]::new);
        lines[400] = "{\"text\":\"" + "x".repeat(2 << 20) + "\"}";
        Files.write(folder.resolve("in.ndjson"), (String.join("\n", lines) + "\n").getBytes(UTF_8));
        LoadUnderTest.Outcome outcome = new LoadUnderTest(
                        folder,
                        folder.resolve("in.ndjson"),
                        "small",
                        scene.cluster().url())
                .window(64 << 10, 1)
                .run();
        scene.ledger().provesAllButDead(outcome, Set.of(400));
        assertThat(outcome.letters()).singleElement().satisfies(letter -> {
            assertThat(letter.type()).isEqualTo("too_large");
            assertThat(letter.status()).isEqualTo(413);
        });
    }

    /** Row 32: a bulk size that the server would refuse is brought down before the first request. */
    @Test
    void makesNoBulkThatTheServerWouldRefuse() {
        scene.documents(new NumberedDocuments(33, 300, 20_000));
        LoadUnderTest.Outcome outcome = scene.load().window(4 << 20, 1).run();
        scene.ledger().provesAllIndexed(outcome);
        assertThat(outcome.report().requests().tooLarge()).isZero();
    }

    /** Row 17: nobody listens for a while. */
    @Test
    void goesOnWhenTheTargetComesBack() throws Exception {
        CompletableFuture<Boolean> killed = new CompletableFuture<>();
        LoadUnderTest load = direct().onEvent(Midway.after(200, () -> {
            scene.cluster().kill(0);
            killed.complete(true);
        }));
        try (ExecutorService loading = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<LoadUnderTest.Outcome> outcome = loading.submit(load::run);
            killed.get(30, java.util.concurrent.TimeUnit.SECONDS);
            scene.cluster().restart(0);
            scene.ledger().provesAllIndexed(outcome.get(90, java.util.concurrent.TimeUnit.SECONDS));
        }
    }

    /** Row 17: or for longer than allowed. */
    @Test
    void givesUpWhenTheTargetStaysAwayAndResumesLater() {
        LoadUnderTest load = direct().outageMax(Duration.ofSeconds(2))
                .onEvent(Midway.after(200, () -> scene.cluster().kill(0)));
        LoadUnderTest.Outcome stopped = load.run();
        scene.cluster().restart(0);
        assertThat(stopped.report().exit()).as(stopped.messages()).isEqualTo(ExitCode.TARGET_UNUSABLE);
        assertThat(stopped.messages()).contains("nothing listens at");
        assertThat(stopped.letters()).isEmpty();
        scene.ledger().provesAllIndexed(load.outageMax(Duration.ofSeconds(60)).run());
    }

    private LoadUnderTest direct() {
        return new LoadUnderTest(
                folder,
                scene.documents().write(folder.resolve("in.ndjson")),
                "small",
                scene.cluster().url());
    }
}
