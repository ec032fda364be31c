package io.penstock.endtoend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.Credentials;
import io.penstock.core.event.LoadEvent;
import io.penstock.core.window.Outcome;
import io.penstock.job.ExitCode;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.proxy.Fault;
import io.penstock.testkit.proxy.Fault.Pass;
import io.penstock.testkit.proxy.FaultProxy;
import io.penstock.testkit.seeds.NumberedDocuments;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are refused as a whole: what is split, what is waited for, and what ends the load. */
@RealNode
class RefusedRequestsIT {
    @TempDir
    Path folder;

    private Scene scene;

    @BeforeEach
    void open(RealCluster cluster) {
        scene = new Scene(cluster, folder, "refused");
    }

    @AfterEach
    void close() {
        scene.close();
    }

    /** Row 28: a log-in page with status 200 is not a success. */
    @Test
    void stopsWhenSomethingElseAnswersInThePlaceOfTheCluster() {
        scene.proxy().always(new Fault.Html200());
        LoadUnderTest load = scene.load();
        LoadUnderTest.Outcome stopped = load.run();
        assertThat(stopped.report().exit()).isEqualTo(ExitCode.TARGET_REFUSES);
        assertThat(stopped.messages()).contains("something between us and the cluster answers");
        assertThat(stopped.report().counts().indexed()).isZero();

        scene.proxy().heal();
        scene.ledger().provesAllIndexed(load.run());
    }

    /** Row 28, from the other side: one such page is no reason to stop. */
    @Test
    void goesOnAfterOneForeignAnswer() {
        scene.proxy().script(new Pass(), new Fault.Html200(), new Fault.Html200());
        scene.ledger().provesAllIndexed(scene.load().window(16 << 10, 1).run());
    }

    /** Row 29: documents and credentials go to no other host. */
    @ParameterizedTest
    @ValueSource(ints = {301, 302, 307, 308})
    void followsNoRedirect(int status) {
        try (FaultProxy elsewhere = FaultProxy.start(scene.cluster().url())) {
            URI location = elsewhere.url().resolve("/refused/_bulk");
            scene.proxy().always(new Fault.Redirect(status, location));
            LoadUnderTest.Outcome stopped = scene.load().run();
            assertThat(stopped.report().exit()).isEqualTo(ExitCode.TARGET_REFUSES);
            assertThat(stopped.messages()).contains(location.getAuthority());
            assertThat(elsewhere.journal().heads()).isEmpty();
        }
    }

    static Stream<Arguments> refusals() {
        return Stream.of(Arguments.of(401, 1), Arguments.of(403, 1), Arguments.of(401, 4));
    }

    /** Row 30: refused credentials are read once more and then not tried on, which could lock the account. */
    @ParameterizedTest
    @MethodSource("refusals")
    void triesRefusedCredentialsOnceMoreAtMost(int status, int concurrency) {
        AtomicInteger passwordsRead = new AtomicInteger();
        String body = "{\"error\":{\"type\":\"security_exception\",\"reason\":\"no\"},\"status\":" + status + "}";
        scene.proxy().always(new Fault.Status(status, Map.of("Content-Type", "application/json"), body, false));
        LoadUnderTest load = scene.load()
                .window(16 << 10, concurrency)
                .credentials(Credentials.basic("loader", () -> "secret-" + passwordsRead.incrementAndGet()));
        LoadUnderTest.Outcome stopped = load.run();
        assertThat(stopped.report().exit()).isEqualTo(ExitCode.TARGET_REFUSES);
        assertThat(stopped.messages()).contains("credentials").doesNotContain("secret");
        assertThat(scene.proxy().journal().requests()).isBetween(1L, concurrency + 1L);
        assertThat(passwordsRead).hasValueGreaterThan(1);

        scene.proxy().heal();
        scene.ledger().provesAllIndexed(load.run());
    }

    /** Row 30: a password that was changed meanwhile is found by the second try. */
    @Test
    void goesOnWithTheCredentialsThatWereReadAgain() {
        AtomicInteger passwordsRead = new AtomicInteger();
        scene.proxy().script(new Pass(), Fault.Status.notApplied(401));
        LoadUnderTest.Outcome outcome = scene.load()
                .credentials(Credentials.basic("loader", () -> "secret-" + passwordsRead.incrementAndGet()))
                .run();
        scene.ledger().provesAllIndexed(outcome);
        assertThat(scene.proxy().journal().heads().getLast().header("Authorization"))
                .isNotEqualTo(scene.proxy().journal().heads().getFirst().header("Authorization"));
    }

    /** Row 31: an address with a wrong path is found out before anything is written. */
    @Test
    void refusesAWrongBasePathBeforeAnythingIsWritten() {
        Path file = scene.documents().write(folder.resolve("in.ndjson"));
        LoadUnderTest.Outcome stopped =
                new LoadUnderTest(folder, file, "refused", scene.proxy().url().resolve("/no/such/path")).run();
        assertThat(stopped.report().exit()).isEqualTo(ExitCode.TARGET_REFUSES);
        assertThat(stopped.messages()).contains("check the address");
        assertThat(scene.proxy().journal().requests()).isZero();
        assertThat(scene.cluster().exists("/refused")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {404, 405})
    void stopsWhereThereIsNoBulkApi(int status) {
        scene.proxy().always(Fault.Status.notApplied(status));
        LoadUnderTest.Outcome stopped = scene.load().run();
        assertThat(stopped.report().exit()).isEqualTo(ExitCode.TARGET_REFUSES);
        assertThat(stopped.letters()).isEmpty();
    }

    static Stream<Arguments> tooLarge() {
        return Stream.of(
                Arguments.of("413 before the body is read, then silence", new Fault.EarlyReply413()),
                Arguments.of("413 after the body", Fault.Status.notApplied(413)));
    }

    /** Row 32: halves what is too large, remembers the size, and gives up only a document that is too large alone. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("tooLarge")
    void splitsWhatIsTooLargeAndLearnsTheLimit(String kind, Fault fault) {
        scene.documents(new NumberedDocuments(32, 500, 40_000));
        long limit = 256 << 10;
        AtomicInteger refused = new AtomicInteger();
        scene.proxy().always(request -> {
            long bytes = Long.parseLong(request.head().header("Content-Length").orElse("0"));
            return bytes > limit && refused.incrementAndGet() > 0 ? Optional.of(fault) : Optional.empty();
        });
        LoadUnderTest.Outcome outcome =
                scene.load().window(1 << 20, 2).memory(4 << 20).run();
        scene.ledger().provesAllIndexed(outcome);
        // Three or four batches were read before the first refusal, with seven refused requests at most for each.
        assertThat(refused.get()).as("too large requests").isBetween(1, 4 * 7);
        assertThat(outcome.report().requests().tooLarge()).isEqualTo(refused.get());
        assertThat(outcome.report().window().orElseThrow().bulkBytes()).isLessThanOrEqualTo((int) limit * 2);
    }

    static Stream<Arguments> pushBacks() {
        return Stream.of(Arguments.of("", ""), Arguments.of("busy, come back later", ""), Arguments.of("busy", "1"));
    }

    /** Row 33: the whole request is pushed back, with or without a word; {@code Retry-After} is kept to. */
    @ParameterizedTest(name = "body \"{0}\", Retry-After \"{1}\"")
    @MethodSource("pushBacks")
    void comesBackLaterWhenTheWholeRequestIsPushedBack(String body, String retryAfter) {
        Map<String, Long> firstSeen = new ConcurrentHashMap<>();
        Map<String, Long> waited = new ConcurrentHashMap<>();
        Fault busy =
                new Fault.Status(429, retryAfter.isEmpty() ? Map.of() : Map.of("Retry-After", retryAfter), body, false);
        scene.proxy().always(request -> {
            String id = request.actions().getFirst().id().orElseThrow();
            Long before = firstSeen.putIfAbsent(id, System.nanoTime());
            if (before != null) {
                waited.putIfAbsent(id, System.nanoTime() - before);
            }
            return before == null && request.number() < 4 ? Optional.of(busy) : Optional.empty();
        });
        LoadUnderTest.Outcome outcome = scene.load().run();
        scene.ledger().provesAllIndexed(outcome);
        assertThat(outcome.events(LoadEvent.RequestEnded.class))
                .filteredOn(ended -> ended.outcome() == Outcome.PUSHED_BACK)
                .hasSize(4);
        Duration least = retryAfter.isEmpty() ? Duration.ZERO : Duration.ofSeconds(1);
        assertThat(waited)
                .hasSize(4)
                .allSatisfy((id, nanos) -> assertThat(Duration.ofNanos(nanos)).isBetween(least, Duration.ofSeconds(4)));
    }

    /** Row 35b: the wrong protocol is said at once, and nothing is tried again. */
    @Test
    void saysThatAPlainPortDoesNotSpeakTls() {
        URI tls = URI.create("https://127.0.0.1:" + scene.cluster().url().getPort());
        LoadUnderTest.Outcome stopped =
                new LoadUnderTest(folder, scene.documents().write(folder.resolve("in")), "refused", tls).run();
        assertThat(stopped.report().exit()).isEqualTo(ExitCode.USAGE);
        assertThat(stopped.messages()).contains("use http://");
    }

    /** Row 35b: a port that speaks TLS closes a connection that does not. */
    @Test
    @SuppressWarnings("try") // closed early, to end the thread that accepts
    void saysThatATlsPortNeedsHttps() throws Exception {
        try (ServerSocket port = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread closing = Thread.ofVirtual().start(() -> closeAll(port));
            URI plain = URI.create("http://127.0.0.1:" + port.getLocalPort());
            LoadUnderTest.Outcome stopped =
                    new LoadUnderTest(folder, scene.documents().write(folder.resolve("in")), "refused", plain).run();
            port.close();
            closing.join();
            assertThat(stopped.report().exit()).isEqualTo(ExitCode.USAGE);
            assertThat(stopped.messages()).contains("use https://");
        }
    }

    private static void closeAll(ServerSocket port) {
        while (!port.isClosed()) {
            try (var socket = port.accept()) {
                socket.getInputStream().read();
            } catch (IOException closed) {
                // the next one, or the end
            }
        }
    }

    static Stream<Arguments> poisons() {
        Predicate<byte[]> poison = source -> new String(source, UTF_8).contains("\"n\":617,");
        return Stream.of(
                Arguments.of("400 for the whole request", new Fault.RejectItems(poison)),
                Arguments.of("the connection closed without a word", new Fault.CloseOnPoison(poison)));
    }

    /** Row 67: one document that spoils every request it is in is found, and only that one is given up. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("poisons")
    void findsTheOneDocumentThatSpoilsItsRequests(String kind, Fault fault) {
        scene.proxy().always(fault);
        LoadUnderTest.Outcome outcome = scene.load().window(64 << 10, 4).run();
        scene.ledger().provesAllButDead(outcome, Set.of(617));
        long batches = outcome.events(LoadEvent.BatchRead.class).size();
        // Three answers to make a batch suspect, two for each of up to eight suspected halves and one for the half
        // beside it, and ten for the document alone.
        assertThat(scene.proxy().journal().requests() - batches).isLessThanOrEqualTo(3 + 8 * (2 + 1) + 10);
    }
}
