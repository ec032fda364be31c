package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.proxy.Fault;
import io.penstock.testkit.proxy.FaultProxy;
import io.penstock.testkit.seeds.Seeds;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows 109 to 113 and 119: topics as a source, with a real broker. */
@RealNode
class TopicIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static Broker broker;

    @TempDir
    Path folder;

    private final Seeds seeds = new Seeds(Long.getLong("seed", System.nanoTime()));
    private final String topic = "t-" + UUID.randomUUID();
    private final String index = "i-" + UUID.randomUUID();
    private RealCluster node;
    private Program program;

    @BeforeAll
    static void startBroker() {
        broker = Broker.start("topics");
    }

    @AfterAll
    static void endBroker() {
        broker.close();
    }

    @BeforeEach
    void begin(RealCluster cluster) throws Exception {
        System.out.println("seed " + seeds.seed());
        node = cluster;
        program = new Program(folder);
        broker.create(topic, 4);
    }

    @AfterEach
    void end() {
        program.close();
        node.call("DELETE", "/" + index, "");
    }

    // ---- to the end ---------------------------------------------------------------------------------------------

    @Test
    void aTopicIsLoadedToItsEndAndTheSameCommandBringsWhatCameSince() throws Exception {
        for (int n = 0; n < 500; n++) {
            broker.send(topic, "k" + n, "{\"n\":" + n + "}");
        }
        broker.send(topic, "k1", "{\n  \"n\": 1001,\n  \"pretty\": 1.10\n}");
        broker.send(topic, "k2", null);
        broker.send(topic, null, "{\"n\":7}");
        broker.flush();

        Program.Ended first = load();

        assertThat(first.exit()).as(first.err()).isZero();
        assertThat(first.documents("read")).isEqualTo(503);
        assertThat(first.documents("deleted")).isEqualTo(1);
        assertThat(node.count(index)).isEqualTo(500);
        assertThat(node.text("/" + index + "/_doc/k1")).contains("{\"n\":1001,\"pretty\":1.10}");
        assertThat(node.call("GET", "/" + index + "/_doc/k2", "").status()).isEqualTo(404);

        broker.send(topic, "k3", "{\"n\":3003}");
        broker.flush();
        Program.Ended second = load();
        assertThat(second.exit()).as(second.err()).isZero();
        assertThat(second.documents("read")).as("only what came since").isEqualTo(1);
        assertThat(source("k3").path("n").asInt()).isEqualTo(3003);
        assertThat(load().documents("read")).isZero();
    }

    @Test
    void anOldRecordNeverReplacesANewerDocument() throws Exception {
        broker.send(topic, "k", "{\"n\":1}");
        broker.send(topic, "k", "{\"n\":2}");
        broker.flush();
        assertThat(load().exit()).isZero();

        Program.Ended again = load("--restart");

        assertThat(again.exit()).as(again.err()).isZero();
        assertThat(again.documents("read")).isEqualTo(2);
        assertThat(source("k").path("n").asInt()).isEqualTo(2);
        assertThat(node.get("/" + index + "/_settings?flat_settings=true")
                        .at("/" + index + "/settings")
                        .path("index.gc_deletes")
                        .asText())
                .as("deletes are remembered for longer than a load tries")
                .isEqualTo("1h");
    }

    /** Row 119: the connection breaks, the write is sent again, then its delete, and then the first of them arrives. */
    @Test
    void aWriteThatArrivesBehindItsDeleteDoesNotBringTheDocumentBack() throws Exception {
        Program.Ended ended = writtenLate(409);

        assertThat(ended.exit()).as(ended.err()).isEqualTo(130);
        assertThat(ended.err()).doesNotContain("forgets");
        assertThat(node.count(index)).isZero();
    }

    /** The hole that is left where somebody else made the index: said beforehand. */
    @Test
    @Tag("torture")
    void anIndexThatForgetsDeletesTooEarlyIsWarnedOf() throws Exception {
        node.call("PUT", "/" + index, "{\"settings\":{\"index.gc_deletes\":\"1s\"}}");

        Program.Ended ended = writtenLate(201);

        assertThat(ended.err()).contains(index + " forgets after 1s what was deleted (index.gc_deletes)");
        assertThat(node.count(index)).as("it came back").isEqualTo(1);
    }

    /** Loads a write and its delete, with the write coming twice; it ends when its late answer has this status. */
    private Program.Ended writtenLate(int status) throws Exception {
        broker.send(topic, "k", "{\"n\":1}");
        broker.send(topic, "k", null);
        broker.flush();
        try (FaultProxy proxy = FaultProxy.start(node.url())) {
            proxy.script(new Fault.Late(Duration.ofSeconds(5)));
            Program.Running running = program.start(words(proxy.url(), broker.url(topic), index, "--follow"));
            int before = status == 201 ? 1 : 0; // the one that was sent again
            await().atMost(PATIENCE).until(() -> {
                node.call("POST", "/" + index + "/_refresh", "");
                Map<Integer, Long> answers = proxy.journal().itemStatuses();
                return answers.containsKey(200) && answers.getOrDefault(status, 0L) > before; // 200: it was deleted
            });
            running.signal("INT");
            return running.end();
        }
    }

    @Test
    void eachIndexHasAPositionOfItsOwn() throws Exception {
        broker.send(topic, "k", "{\"n\":1}");
        broker.flush();
        assertThat(load().documents("indexed")).isEqualTo(1);
        node.delete("/" + index);
        assertThat(load().documents("indexed"))
                .as("an index made anew is filled from the beginning")
                .isEqualTo(1);
    }

    @Test
    void whatIsNoDocumentIsADeadLetterWithPartitionAndOffset() throws Exception {
        broker.send(topic, "a", "{\"n\":1}");
        broker.send(topic, "b", "no json");
        broker.send(topic, "c", "{\"n\":{\"an\":\"object\"}}");
        broker.send(topic, null, null);
        broker.send(topic, "x".repeat(600), "{\"n\":2}");
        broker.flush();
        Path mapping =
                Files.writeString(folder.resolve("mapping.json"), "{\"properties\":{\"n\":{\"type\":\"long\"}}}");

        Program.Ended ended = load("--mapping", mapping.toString());

        assertThat(ended.exit()).as(ended.err()).isEqualTo(4);
        assertThat(ended.documents("deadLettered")).isEqualTo(4);
        Map<String, String> reasons = new TreeMap<>();
        for (String line : Files.readAllLines(program.deadLetters())) {
            JsonNode letter = JSON.readTree(line);
            assertThat(letter.path("partition").asText()).matches("kafka://.*/" + topic + "/\\d");
            reasons.put(
                    letter.path("type").asText() + letter.path("document").asText(),
                    letter.path("reason").asText());
        }
        assertThat(reasons).hasSize(4);
        assertThat(reasons.get("parseno json")).contains("not a JSON object");
        assertThat(reasons.get("id")).contains("neither a key nor a value");
    }

    /** Row 112. */
    @Test
    void anAbortedTransactionIsNotThereAndItsMarkersAreNoGap() throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = broker.producer(Map.of("transactional.id", topic))) {
            producer.initTransactions();
            for (String fate : List.of("committed", "aborted")) {
                producer.beginTransaction();
                for (int n = 0; n < 50; n++) {
                    var unused = producer.send(Broker.record(topic, fate + n, "{\"n\":1}"));
                }
                producer.flush();
                if (fate.equals("committed")) {
                    producer.commitTransaction();
                } else {
                    producer.abortTransaction();
                }
            }
        }
        Program.Ended ended = load();
        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(ended.documents("indexed")).isEqualTo(50);
        assertThat(load().documents("read"))
                .as("positions are behind the markers")
                .isZero();
    }

    /** Row 110. */
    @Test
    @Tag("torture")
    void recordsRemovedBeforeTheyWereReadAreNamed() throws Exception {
        for (int n = 0; n < 400; n++) {
            broker.send(topic, "k" + n, "{\"n\":1}");
        }
        broker.flush();
        assertThat(load().exit()).isZero();
        for (int n = 0; n < 400; n++) {
            broker.send(topic, "k" + n, "{\"n\":2}");
        }
        broker.flush();
        broker.deleteRecordsBefore(topic, 0, 150);

        Program.Ended ended = load();

        assertThat(ended.exit()).as(ended.err()).isEqualTo(5);
        assertThat(ended.err()).matches("(?s).*records [0-9,]+ to 149 of .*-0 no longer exist.*");
        assertThat(load("--restart").exit()).isZero();
    }

    /** Row 111. */
    @Test
    @Tag("torture")
    void aTopicMadeAnewIsNotTakenForTheOldOne() throws Exception {
        for (int n = 0; n < 100; n++) {
            broker.send(topic, "k", "{\"n\":" + n + "}");
        }
        broker.flush();
        assertThat(load().exit()).isZero();
        broker.delete(topic);
        await().ignoreExceptions().atMost(PATIENCE).until(() -> {
            broker.create(topic, 4);
            return true;
        });
        broker.send(topic, "k", "{\"n\":1000}");
        broker.flush();

        Program.Ended ended = load();

        assertThat(ended.exit()).as(ended.err()).isEqualTo(5);
        assertThat(ended.err()).contains("not the topic that this index was filled from");
        assertThat(source("k").path("n").asInt()).isEqualTo(99);
        assertThat(load("--restart").exit()).isZero();
        assertThat(source("k").path("n").asInt()).as("newer than all before").isEqualTo(1000);
    }

    // ---- brokers ------------------------------------------------------------------------------------------------

    @Test
    @Tag("torture")
    void whatCannotBeReadIsSaidInOneSentence() throws Exception {
        Program.Ended missing = program.start(words("kafka://" + broker.address() + "/not-there", index))
                .end();
        assertThat(missing.exit()).isEqualTo(5);
        assertThat(missing.err()).contains("there is no topic not-there").doesNotContain("Exception");
        Program.Ended nobody =
                program.start(words("kafka://127.0.0.1:1/topic", index)).end();
        assertThat(nobody.exit()).isEqualTo(5);
        assertThat(nobody.err()).contains("no Kafka broker answers").doesNotContain("Exception");
        Program.Ended wrong =
                program.start(words("kafka://broker/topic", index)).end();
        assertThat(wrong.exit()).isEqualTo(2);
        assertThat(wrong.err()).contains("write kafka://HOST:PORT/TOPIC");
    }

    /** Row 113. */
    @Test
    @Tag("torture")
    void aBrokerThatDiesIsWaitedForAndGivenUpInTime() throws Exception {
        fill(30_000, 10_000);
        Program.Running running = program.start(words(broker.url(topic), index, "--follow", "--max-docs-rate", "5000"));
        await().atMost(PATIENCE)
                .until(() -> node.call("GET", "/" + index + "/_count", "")
                                .json()
                                .path("count")
                                .asLong()
                        > 0);
        broker.kill();
        try {
            await().atMost(PATIENCE).until(() -> running.said().contains("no broker"));
            assertThat(running.isAlive()).isTrue();
        } finally {
            broker.restart();
        }
        await().atMost(PATIENCE).until(() -> isAsInTopic(index));
        running.signal("INT");
        assertThat(running.end().exit()).isEqualTo(130);

        Program.Running impatient = program.start(words(broker.url(topic), index, "--follow", "--max-outage", "3s"));
        await().atMost(PATIENCE).until(() -> broker.members().size() == 1);
        broker.kill();
        try {
            Program.Ended ended = impatient.end();
            assertThat(ended.exit()).as(ended.err()).isEqualTo(5);
            assertThat(ended.err()).contains("no broker of");
        } finally {
            broker.restart();
        }
    }

    // ---- kills --------------------------------------------------------------------------------------------------

    @Test
    @Tag("torture")
    void killedAtRandomMomentsNothingIsLostAndNothingDoubled() throws Exception {
        fill(60_000, 20_000);
        int kills = Integer.getInteger("penstock.kills", 6);
        for (int kill = 0; kill < kills; kill++) {
            Program.Running running = program.start(words(broker.url(topic), index, "--max-docs-rate", "20000"));
            if (running.endsWithin(Duration.ofMillis(seeds.longBetween(1_500, 6_000)))) {
                break;
            }
            running.kill();
        }
        Program.Ended ended = load();
        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(isAsInTopic(index)).isTrue();
        assertThat(node.get("/" + index + "/_settings?flat_settings=true")
                        .at("/" + index + "/settings")
                        .has("index.refresh_interval"))
                .as("load settings are gone")
                .isFalse();
    }

    /** Row 109: partitions go to whoever is left, and come back; the one that slept does no harm when it wakes. */
    @Test
    @Tag("torture")
    void severalShippersShareTheTopicWhileOneSleepsAndOneDies() throws Exception {
        fill(20_000, 5_000);
        List<Program.Running> shippers = new ArrayList<>();
        for (int n = 0; n < 3; n++) {
            shippers.add(program.start(words(broker.url(topic), index, "--follow")));
        }
        AtomicBoolean stop = new AtomicBoolean();
        Thread writer = Thread.ofVirtual().start(() -> write(stop, 200));
        await().atMost(PATIENCE)
                .until(() -> node.call("GET", "/" + index + "/_count", "")
                                .json()
                                .path("count")
                                .asLong()
                        > 2_000);
        shippers.get(0).signal("STOP");
        await("the group goes on without it")
                .atMost(PATIENCE)
                .until(() -> broker.members().size() == 2);
        Set<String> awake = broker.members();
        shippers.get(1).kill();
        shippers.get(0).signal("CONT");
        await("it is back, and the killed one is gone").atMost(PATIENCE).until(() -> {
            Set<String> members = broker.members();
            return members.size() == 2 && !members.equals(awake);
        });
        stop.set(true);
        writer.join();
        broker.flush();
        await().atMost(PATIENCE).until(() -> isAsInTopic(index));
        for (int alive : new int[] {0, 2}) {
            shippers.get(alive).signal("TERM");
            assertThat(shippers.get(alive).end().exit()).isEqualTo(143);
        }
    }

    // ---- cut-over -----------------------------------------------------------------------------------------------

    @Test
    @Tag("torture")
    void anIndexIsRebuiltByReplayWhileWritersWriteAndReadersRead() throws Exception {
        String old = index + "-old";
        String alias = index + "-live";
        fill(20_000, 5_000);
        Program.Ended before =
                program.start(words(broker.url(topic), old, "--alias", alias)).end();
        assertThat(before.exit()).as(before.err()).isZero();
        AtomicBoolean stop = new AtomicBoolean();
        List<String> failed = new ArrayList<>();
        Thread writer = Thread.ofVirtual().start(() -> write(stop, 50));
        Thread reader = Thread.ofVirtual().start(() -> read(alias, stop, failed));
        var other = new Program(Files.createDirectory(folder.resolve("other")));
        try {
            Program.Running keepsOld = other.start(words(broker.url(topic), old, "--follow"));
            Program.Running rebuild = program.start(
                    words(broker.url(topic), index, "--alias", alias, "--follow", "--cut-over", "lag=500,for=2s"));
            await().atMost(PATIENCE)
                    .until(() -> node.call("GET", "/_alias/" + alias, "").json().has(index));
            assertThat(node.get("/_alias/" + alias).has(old))
                    .as("moved at once")
                    .isFalse();
            assertThat(rebuild.isAlive()).as("it goes on").isTrue();
            long atTheSwap = node.writes(index);
            await().atMost(PATIENCE).until(() -> node.writes(index) > atTheSwap + 50);
            stop.set(true);
            writer.join();
            reader.join();
            broker.flush();
            await().atMost(PATIENCE).until(() -> isAsInTopic(index));
            await().atMost(PATIENCE).until(() -> isAsInTopic(old));
            assertThat(failed).isEmpty();
            assertThat(node.get("/" + index + "/_settings?flat_settings=true")
                            .at("/" + index + "/settings")
                            .has("index.translog.durability"))
                    .isFalse();
            rebuild.signal("INT");
            keepsOld.signal("INT");
            assertThat(rebuild.end().exit()).isEqualTo(130);
            assertThat(keepsOld.end().exit()).isEqualTo(130);
        } finally {
            other.close();
            node.call("DELETE", "/" + old, "");
        }
    }

    // ---- what is used above -------------------------------------------------------------------------------------

    private void fill(int records, int keys) throws Exception {
        for (int n = 0; n < records; n++) {
            send(keys, n);
        }
        broker.flush();
    }

    private synchronized void send(int keys, int n) {
        String key = "k" + seeds.intBetween(0, keys);
        broker.send(topic, key, seeds.chance(0.1) ? null : "{\"n\":" + n + ",\"text\":\"" + key + "\"}");
    }

    private void write(AtomicBoolean stop, int perSecond) {
        for (int n = 1_000_000; !stop.get(); n++) {
            send(5_000, n);
            java.util.concurrent.locks.LockSupport.parkNanos(1_000_000_000L / perSecond);
        }
    }

    private void read(String alias, AtomicBoolean stop, List<String> failed) {
        while (!stop.get()) {
            RealCluster.Answer answer = node.call("GET", "/" + alias + "/_search?size=1", "");
            if (answer.status() != 200 || answer.json().at("/hits/total/value").asLong() == 0) {
                failed.add(answer.toString());
            }
        }
    }

    private boolean isAsInTopic(String name) throws IOException {
        var held = new TreeMap<String, String>();
        for (JsonNode hit : node.scan(name)) {
            held.put(hit.path("_id").asText(), hit.path("_source").toString());
        }
        return held.equals(broker.latest(topic));
    }

    private JsonNode source(String id) {
        return node.get("/" + index + "/_doc/" + id).path("_source");
    }

    /**
     * A container that is killed and started anew has another name, and finds its own load settings as somebody else's.
     */
    @Test
    void theLoadSettingsOfAReaderThatShowsNoLifeAreTakenOver() throws Exception {
        fill(1_000, 100);
        String beat = Instant.now().minusSeconds(170).toString(); // ten seconds more, and it is taken for dead
        node.put("/" + index, """
                {"settings":{"number_of_replicas":0,"index.gc_deletes":"1h","translog.durability":"async"},
                 "mappings":{"_meta":{"penstock":{"job":"j","host":"another","token":"t","started":"%s","heartbeat":"%s",
                  "settings":{"index.translog.durability":{"before":null,"during":"async"}},"cluster_settings":{}}}}}""".formatted(beat, beat));

        Program.Ended ended = load();

        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(ended.err()).contains("looking for a sign of life", "putting back the settings of " + index);
        assertThat(isAsInTopic(index)).isTrue();
        assertThat(node.get("/" + index + "/_settings?flat_settings=true")
                        .at("/" + index + "/settings")
                        .has("index.translog.durability"))
                .isFalse();
    }

    private Program.Ended load(String... more) throws InterruptedException {
        return program.start(words(broker.url(topic), index, more)).end();
    }

    private String[] words(String url, String into, String... more) {
        return words(node.url(), url, into, more);
    }

    private static String[] words(URI target, String url, String into, String... more) {
        return Stream.concat(Stream.of("load", url, "-i", into, "-t", target.toString(), "--no-sniff"), Stream.of(more))
                .toArray(String[]::new);
    }
}
