package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.bench.result.Interval;
import io.penstock.bench.trial.ProcessGauge;
import io.penstock.bench.workload.Bytes;
import io.penstock.bench.workload.Workload;
import io.penstock.bench.workload.Workloads;
import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How fast the pipeline is. No test, as its name says: nothing is asserted about time. Run by its name, with real
 * compilers, on a machine that does nothing else:
 *
 * <pre>
 * mvn verify -pl dev/pipeline -am -Dit.test=PipelineMeasurement -Dpenstock.tests.jvm=-Dmeasured -Dtest=none \
 *     -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false
 * </pre>
 *
 * <p>Results go to {@code bench/results}.
 */
@RealNode(own = true, heap = "1g")
class PipelineMeasurement {
    private static final int ROUNDS = Integer.getInteger("penstock.rounds", 5);
    private static final int DOCUMENTS = 500_000;
    private static final int TRACKS = 200_000;
    private static final Duration LAG_TIME = Duration.ofSeconds(60);
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration SETTLED = Duration.ofSeconds(3);
    private static final Path EXAMPLE = Path.of("..", "..", "examples", "catalog");
    private static final Path RESULTS = Path.of("..", "..", "bench", "results");

    @TempDir
    Path folder;

    private final List<String> report = new ArrayList<>();

    @Test
    void replayBesideAFile(RealCluster node) throws Exception {
        List<Double> fromFile = new ArrayList<>();
        List<Double> fromTopic = new ArrayList<>();
        try (Broker broker = Broker.start("measured")) {
            broker.create("replay", 4);
            Path file = fill(broker);
            for (int round = 0; round <= ROUNDS; round++) {
                for (boolean topic : round % 2 == 0 ? new boolean[] {false, true} : new boolean[] {true, false}) {
                    double rate = load(node, topic ? broker.url("replay") : file.toString(), round + "-" + topic);
                    if (round > 0) { // the first warms the server
                        (topic ? fromTopic : fromFile).add(rate);
                    }
                }
            }
        }
        tell("file, documents/s", Interval.ofMedian(fromFile));
        tell("topic, documents/s", Interval.ofMedian(fromTopic));
        tell("topic / file, round by round (target 0.90)", Interval.ofRatios(fromTopic, fromFile));
        publish("replay", "%,d systembase documents, 4 partitions, keys as ids".formatted(DOCUMENTS));
    }

    /** The same documents in a topic and in a file, with the same ids. */
    private Path fill(Broker broker) throws Exception {
        Path file = folder.resolve("documents.ndjson");
        Workload workload = Workloads.named("systembase", 2013);
        var bytes = new Bytes();
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (int i = 0; i < DOCUMENTS; i++) {
                bytes.clear();
                workload.next(bytes);
                String document = new String(bytes.toArray(), StandardCharsets.US_ASCII);
                String named = "{\"id\":\"%08d\",%s".formatted(i, document.substring(1));
                out.write(named);
                broker.send("replay", "%08d".formatted(i), named.stripTrailing());
                if (i % 10_000 == 0) {
                    broker.flush();
                }
            }
        }
        broker.flush();
        return file;
    }

    private double load(RealCluster node, String source, String name) throws Exception {
        String mapping = Workloads.named("systembase", 0)
                .mapping()
                .replace("\"properties\":{", "\"properties\":{\"id\":{\"type\":\"keyword\"},");
        node.put("/measured", """
                {"settings":{"number_of_replicas":0,"refresh_interval":"-1"},"mappings":%s}""".formatted(mapping));
        try (var program = new Program(Files.createDirectory(folder.resolve(name)))) {
            List<String> words = new ArrayList<>(
                    List.of("load", source, "-i", "measured", "-t", node.url().toString()));
            words.addAll(List.of("--no-sniff", "--keep-settings"));
            if (!source.startsWith("kafka")) {
                words.addAll(List.of("--id-field", "id", "--format", "ndjson"));
            }
            Program.Ended ended = program.start(words.toArray(String[]::new)).end(PATIENCE);
            assertThat(ended.exit()).as(ended.err()).isZero();
            return ended.summary().at("/rate/docsPerSecond").asDouble();
        } finally {
            node.delete("/measured");
        }
    }

    @Test
    void feedFromADatabaseToTheIndex(RealCluster node) throws Exception {
        assumeThat(Database.isInstalled()).as("mariadb-server is not installed").isTrue();
        try (Broker broker = Broker.start("measured");
                Database database = Database.start(folder.resolve("mariadb"));
                var feeding = new Program(Files.createDirectory(folder.resolve("feed")));
                var shipping = new Program(Files.createDirectory(folder.resolve("load")))) {
            fill(database);
            Path config = folder.resolve("catalog.yaml");
            Files.writeString(
                    config,
                    Files.readString(EXAMPLE.resolve("catalog.yaml"))
                            .replace("port: 3306", "port: " + database.port())
                            .replace("127.0.0.1:9092", broker.address()));
            Program.Running feed = feeding.start("feed", "--config", config.toString());
            snapshot(broker, feed);
            shipping.start(
                    "load",
                    broker.url("catalog"),
                    "-i",
                    "measured",
                    "-t",
                    node.url().toString(),
                    "--no-sniff",
                    "--follow",
                    "--replicas",
                    "0",
                    "--keep-settings",
                    "--settings",
                    "index.refresh_interval=1s",
                    "--mapping",
                    EXAMPLE.resolve("mapping.json").toString());
            await().atMost(PATIENCE).ignoreExceptions().until(() -> node.count("measured") == TRACKS);
            settle(node, database);
            lag(node, database, 50, 0);
            lag(node, database, 1_000, TRACKS / 2);
            feed.signal("INT");
            feed.end();
        }
        publish(
                "feed",
                "%,d tracks with users, tags and playlists; MariaDB, Kafka, OpenSearch, feed and load on the same machine"
                        .formatted(TRACKS));
    }

    private static void fill(Database database) throws Exception {
        try (Connection root = database.connect("catalog")) {
            Database.source(root, EXAMPLE.resolve("schema.sql"));
            Database.execute(root, "SET @tracks = " + TRACKS);
            Database.source(root, EXAMPLE.resolve("seed.sql"));
        }
    }

    private void snapshot(Broker broker, Program.Running feed) throws Exception {
        await().atMost(PATIENCE).until(() -> broker.has("catalog"));
        long from = System.nanoTime();
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(200)).until(() -> broker.records("catalog") >= TRACKS);
        double seconds = (System.nanoTime() - from) / 1e9;
        var gauge = new ProcessGauge(feed.pid());
        gauge.read();
        double cpu = gauge.cpuSeconds();
        report.add(String.format(
                Locale.ROOT,
                "- snapshot: %,.0f rows/s, from the topic's creation to the last document",
                TRACKS / seconds));
        report.add(String.format(
                Locale.ROOT,
                "- CPU of the feed until then: %.1f s, its start included; %.0f s per million rows",
                cpu,
                cpu / TRACKS * 1e6));
    }

    /** Until the feed is through with the rows of side tables that its snapshot still has: changes wait behind them. */
    private static void settle(RealCluster node, Database database) throws Exception {
        for (long plays = 500_000_000; ; plays++) { // more than any track has
            long expected = plays;
            long from = System.nanoTime();
            try (Connection connection = database.connect("catalog")) {
                Database.execute(connection, "UPDATE tracks SET plays = %d WHERE id = %d".formatted(expected, TRACKS));
            }
            await().atMost(PATIENCE)
                    .until(() -> node.get("/measured/_doc/" + TRACKS)
                                    .at("/_source/plays")
                                    .asLong()
                            == expected);
            if (System.nanoTime() - from < SETTLED.toNanos()) {
                return;
            }
        }
    }

    /** Each change is a transaction of its own and gives a track a number of plays that no other has. */
    private void lag(RealCluster node, Database database, int perSecond, int firstTrack) throws Exception {
        Map<Long, Long> committed = new ConcurrentHashMap<>();
        var highest = new AtomicLong();
        long base = 1_000_000_000L * perSecond;
        Thread writer =
                Thread.ofPlatform().start(() -> write(database, perSecond, firstTrack, base, committed, highest));
        var millis = new Histogram(3);
        long until = System.nanoTime() + LAG_TIME.plusSeconds(60).toNanos();
        long seen = base;
        while ((writer.isAlive() || !committed.isEmpty()) && System.nanoTime() - until < 0) {
            JsonNode hits = node.post("/measured/_search", """
                    {"size":5000,"_source":false,"docvalue_fields":["plays"],"sort":[{"plays":"asc"}],
                    "query":{"range":{"plays":{"gt":%d,"lt":%d}}}}""".formatted(seen - 2_000, base + 1_000_000))
                    .at("/hits/hits");
            long now = System.nanoTime();
            for (JsonNode hit : hits) {
                long number = hit.at("/fields/plays/0").asLong();
                Long at = committed.remove(number);
                if (at != null) {
                    millis.recordValue(Math.max(1, (now - at) / 1_000_000));
                    seen = Math.max(seen, number);
                }
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        writer.join();
        report.add(String.format(
                Locale.ROOT,
                "- %,d changes/s asked for, %,d done in %d s: from commit to search with refresh 1s: median %.2f s, p99 %.2f s, longest %.2f s; %,d not seen a minute later",
                perSecond,
                highest.get() - base,
                LAG_TIME.toSeconds(),
                millis.getValueAtPercentile(50) / 1e3,
                millis.getValueAtPercentile(99) / 1e3,
                millis.getMaxValue() / 1e3,
                committed.size()));
    }

    private static void write(
            Database database,
            int perSecond,
            int firstTrack,
            long base,
            Map<Long, Long> committed,
            AtomicLong highest) {
        try (Connection connection = database.connect("catalog");
                PreparedStatement update = connection.prepareStatement("UPDATE tracks SET plays = ? WHERE id = ?")) {
            long began = System.nanoTime();
            for (long n = 1; n <= perSecond * LAG_TIME.toSeconds(); n++) {
                long wait = began + n * 1_000_000_000L / perSecond - System.nanoTime();
                if (wait > 0) {
                    TimeUnit.NANOSECONDS.sleep(wait);
                } else if (-wait > LAG_TIME.toNanos()) {
                    return;
                }
                update.setLong(1, base + n);
                update.setLong(2, firstTrack + n);
                update.executeUpdate();
                committed.put(base + n, System.nanoTime());
                highest.set(base + n);
            }
        } catch (java.sql.SQLException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void tell(String what, Interval interval) {
        report.add(String.format(
                Locale.ROOT,
                "- %s: %,.2f (%,.2f to %,.2f), %d rounds",
                what,
                interval.median(),
                interval.low(),
                interval.high(),
                interval.count()));
    }

    private void publish(String name, String what) throws IOException {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        report.addFirst("# " + name + "\n\n" + what + "; "
                + Runtime.getRuntime().availableProcessors() + " cores, Java " + Runtime.version() + ", " + now + "\n");
        String text = String.join("\n", report) + "\n";
        System.out.println(text);
        Files.writeString(RESULTS.resolve(now.toString().replace(":", "") + "-" + name + ".md"), text);
    }
}
