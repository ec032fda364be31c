package io.penstock.program;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real sample, its dead letter, dead letters that are replayed, standard input, and the summary's form. */
@RealNode
class SampleIT {
    private static final Path SAMPLE = Path.of("..", "samples", "apache_logs.gz");
    private static final int GOOD = 9_999;
    private static final int BAD_LINE = 8_899;
    private static final String INDEX = "sample";

    /** Every member of the summary, as the contract has them. */
    private static final Map<String, Set<String>> MEMBERS = new TreeMap<>(Map.ofEntries(
            Map.entry("job", Set.of()),
            Map.entry("index", Set.of()),
            Map.entry("status", Set.of()),
            Map.entry(
                    "documents",
                    Set.of("read", "indexed", "deleted", "superseded", "dropped", "deadLettered", "retried")),
            Map.entry("bytes", Set.of("read", "sent")),
            Map.entry("seconds", Set.of("total", "load", "finish")),
            Map.entry("rate", Set.of("docsPerSecond", "mbPerSecond")),
            Map.entry("requests", Set.of("sent", "rejected", "tooLarge", "p50Ms", "p99Ms")),
            Map.entry("window", Set.of("bulkBytes", "concurrency", "reason")),
            Map.entry("verified", Set.of("expected", "counted")),
            Map.entry("settings", Set.of("restored")),
            Map.entry("deadLetters", Set.of())));

    @TempDir
    Path folder;

    private RealCluster node;
    private Program program;

    @BeforeEach
    void start(RealCluster cluster) {
        node = cluster;
        program = new Program(folder);
    }

    @AfterEach
    void end() {
        program.close();
        node.call("DELETE", "/" + INDEX, "");
    }

    @Test
    void sampleHasOneDeadLetterAndLoadingItAgainChangesNothing() throws Exception {
        Program.Ended first = program.load(node.url(), SAMPLE, INDEX).end();
        assertSample(first);
        List<JsonNode> letters = Proof.letters(program.deadLetters());
        assertThat(letters).hasSize(1);
        assertThat(letters.getFirst().path("line").asInt()).isEqualTo(BAD_LINE);
        assertThat(members(first.summary())).isEqualTo(MEMBERS);
        assertThat(first.summary().path("deadLetters").asText())
                .isEqualTo(program.deadLetters().toString());
        Set<String> ids = ids();
        long writes = node.writes(INDEX);

        Program.Ended again = program.load(node.url(), SAMPLE, INDEX).end();
        assertSample(again);
        assertThat(again.summary().path("documents")).isEqualTo(first.summary().path("documents"));
        assertThat(again.summary().at("/requests/sent").asInt()).isZero();
        assertThat(node.writes(INDEX)).isEqualTo(writes);

        Program.Ended anew =
                program.load(node.url(), SAMPLE, INDEX, "--restart").end();
        assertSample(anew);
        assertThat(ids()).isEqualTo(ids);
        assertThat(node.writes(INDEX)).isEqualTo(2 * writes);
    }

    private void assertSample(Program.Ended ended) {
        assertThat(ended.exit()).as(ended.err()).isEqualTo(4);
        Proof.equation(ended);
        assertThat(ended.documents("read")).isEqualTo(GOOD + 1);
        assertThat(ended.documents("indexed")).isEqualTo(GOOD);
        assertThat(ended.documents("deadLettered")).isEqualTo(1);
        assertThat(ended.summary().at("/verified/counted").asInt()).isEqualTo(GOOD);
        assertThat(node.count(INDEX)).isEqualTo(GOOD);
    }

    private Set<String> ids() {
        return node.scan(INDEX).stream().map(hit -> hit.path("_id").asText()).collect(Collectors.toSet());
    }

    @Test
    void deadLettersAreListedAndReplayedOnceTheMappingIsMended() throws Exception {
        int count = 1_000;
        StringBuilder lines = new StringBuilder();
        for (int number = 0; number < count; number++) {
            lines.append(
                    number % 10 == 3
                            ? "{\"n\":%d,\"late\":\"x\"}%n".formatted(number)
                            : "{\"n\":%d}%n".formatted(number));
        }
        Path file = Files.writeString(folder.resolve("in.ndjson"), lines);
        Path mapping = Files.writeString(
                folder.resolve("strict.json"), "{\"dynamic\":\"strict\",\"properties\":{\"n\":{\"type\":\"long\"}}}");
        Program.Ended load = program.load(node.url(), file, INDEX, "--mapping", mapping.toString())
                .end();
        assertThat(load.exit()).as(load.err()).isEqualTo(4);
        assertThat(load.documents("deadLettered")).isEqualTo(100);
        String letters = program.deadLetters().toString();

        Program.Ended all = program.start("dlq", "list").end();
        assertThat(all.exit()).as(all.err()).isZero();
        assertThat(all.summary().path("file").asText()).isEqualTo(letters);
        assertThat(all.summary().path("deadLetters").asInt()).isEqualTo(100);
        assertThat(all.summary().at("/types/strict_dynamic_mapping_exception").asInt())
                .isEqualTo(100);
        Program.Ended each = program.start("dlq", "list", letters).end();
        assertThat(each.out().lines()).hasSize(100);

        String[] replay = {
            "dlq", "replay", letters, "-i", INDEX, "-t", node.url().toString()
        };
        node.put("/" + INDEX + "/_mapping", "{\"properties\":{\"late\":{\"type\":\"keyword\"}}}");
        Program.Ended replayed = program.start(replay).end();
        assertThat(replayed.exit()).as(replayed.err()).isZero();
        Proof.equation(replayed);
        assertThat(replayed.documents("indexed")).isEqualTo(100);
        assertThat(members(replayed.summary())).isEqualTo(MEMBERS);
        assertThat(node.count(INDEX)).isEqualTo(count);

        Program.Ended second = program.start(replay).end();
        assertThat(second.exit()).as(second.err()).isZero();
        String[] anew = java.util.stream.Stream.concat(Arrays.stream(replay), java.util.stream.Stream.of("--restart"))
                .toArray(String[]::new);
        Program.Ended third = program.start(anew).end();
        assertThat(third.exit()).as(third.err()).isZero();
        assertThat(node.count(INDEX)).isEqualTo(count);
        Set<Integer> numbers = node.scan(INDEX).stream()
                .map(hit -> hit.at("/_source/n").asInt())
                .collect(Collectors.toSet());
        assertThat(numbers).as("none twice").hasSize(count);
    }

    @Test
    void theMappingInferredFromTheSampleTakesAllOfIt() throws Exception {
        Program.Ended ended = program.enveloped(
                        node.url(), SAMPLE, INDEX, "--mapping", "infer:strict", "--replicas", "0")
                .end();
        assertThat(ended.exit()).as(ended.err()).isEqualTo(4);
        assertThat(ended.err()).contains("mapping from the first 9,999 documents", "clientip", "ip: every value");
        JsonNode mapping = node.get("/" + INDEX + "/_mapping").at("/" + INDEX + "/mappings");
        assertThat(mapping.at("/properties/@timestamp/type").asText()).isEqualTo("date");
        assertThat(mapping.at("/properties/bytes/type").asText()).isEqualTo("integer");
        assertThat(mapping.at("/dynamic").asText()).isEqualTo("strict");
        assertThat(ended.documents("indexed")).isEqualTo(9_999);
    }

    @Test
    void standardInputIsSentAsItTricklesIn() throws Exception {
        Program.Running running = program.startWithPipes(
                "load", "-", "-i", INDEX, "-t", node.url().toString(), "--format", "ndjson");
        try (OutputStream input = running.input()) {
            for (int number = 1; number <= 3; number++) {
                long expected = number;
                input.write("{\"n\":%d}%n".formatted(number).getBytes(UTF_8));
                input.flush();
                await("document " + number + " while the pipe stays open")
                        .atMost(number == 1 ? Duration.ofSeconds(20) : Duration.ofSeconds(4))
                        .until(() -> node.exists("/" + INDEX) && node.count(INDEX) == expected);
            }
        }
        Program.Ended ended = running.end();
        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(ended.err()).contains("standard input cannot be read again");
        assertThat(node.count(INDEX)).isEqualTo(3);
    }

    @Test
    void standardInputThatIsStoppedSaysThatItCannotGoOn() throws Exception {
        Program.Running running = program.startWithPipes(
                "load", "-", "-i", INDEX, "-t", node.url().toString(), "--format", "ndjson");
        OutputStream input = running.input();
        input.write("{\"n\":1}%n".formatted().getBytes(UTF_8));
        input.flush();
        await().atMost(Duration.ofSeconds(20)).until(() -> node.exists("/" + INDEX) && node.count(INDEX) == 1);
        running.signal("TERM");
        Program.Ended ended = running.end(Duration.ofSeconds(15));
        assertThat(ended.exit()).as(ended.err()).isEqualTo(143);
        assertThat(ended.err()).contains("standard input cannot be read again");
        assertThat(ended.err()).as("no promise that cannot be kept").doesNotContain("goes on from here");
    }

    private static Map<String, Set<String>> members(JsonNode summary) {
        Map<String, Set<String>> members = new TreeMap<>();
        summary.properties().forEach(member -> {
            Set<String> inner = new TreeSet<>();
            member.getValue().fieldNames().forEachRemaining(inner::add);
            members.put(member.getKey(), inner);
        });
        return members;
    }
}
