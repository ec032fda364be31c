package io.penstock.program;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Stream;

/**
 * What an index and the dead letters must hold after a load, by a complete scan. The letters in the messages are those
 * of the failure matrix: L nothing lost, D nothing twice, C content as it was, P nothing that was never sent, X nothing
 * both indexed and dead, E the fate equation, K exit code and summary.
 */
record Proof(RealCluster cluster, PlantedDocuments planted, String index) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** All checks, for a load that came to its end: everything good is indexed, everything bad is a dead letter. */
    void complete(Program program, Program.Ended ended) {
        assertThat(ended.exit()).as("K: exit code; %s", ended.err()).isEqualTo(4);
        assertThat(ended.summary().path("status").asText()).as("K").isEqualTo("rejects");
        equation(ended);
        assertThat(ended.documents("read")).as("E").isEqualTo(planted.count());
        assertThat(ended.documents("indexed")).as("K").isEqualTo(planted.goodCount());
        assertThat(ended.documents("deadLettered"))
                .as("K")
                .isEqualTo(planted.bad().cardinality());
        assertThat(ended.summary().at("/verified/counted").asLong()).as("K").isEqualTo(planted.goodCount());
        assertThat(ended.summary().at("/verified/expected").asLong()).as("K").isEqualTo(planted.goodCount());
        BitSet observed = observed();
        BitSet dead = deadLetters(program);
        assertThat(dead).as("dead letters, distinct by position").isEqualTo(planted.bad());
        assertThat(observed.intersects(dead)).as("X").isFalse();
        nothingLostBelow(planted.count(), observed, dead);
    }

    /** For a load that was killed: what is below its checkpoint is indexed or a dead letter. */
    void nothingLostBelow(long checkpointed, Program program) {
        nothingLostBelow(checkpointed, observed(), deadLetters(program));
    }

    private static void nothingLostBelow(long checkpointed, BitSet observed, BitSet dead) {
        BitSet lost = new BitSet();
        lost.set(0, Math.toIntExact(checkpointed));
        lost.andNot(observed);
        lost.andNot(dead);
        assertThat(lost).as("L: lost below the checkpoint at " + checkpointed).isEqualTo(new BitSet());
    }

    /** E: read = indexed + deleted + superseded + dropped + dead letters. */
    static void equation(Program.Ended ended) {
        long ends = Stream.of("indexed", "deleted", "superseded", "dropped", "deadLettered")
                .mapToLong(ended::documents)
                .sum();
        assertThat(ended.documents("read")).as("E: %s", ended.out()).isEqualTo(ends);
    }

    /** The numbers in the index, after D, C and P were checked for each document. */
    BitSet observed() {
        cluster.post("/" + index + "/_refresh", "");
        BitSet numbers = new BitSet(planted.count());
        JsonNode page = cluster.post("/" + index + "/_search?scroll=1m", "{\"size\":5000,\"sort\":[\"_doc\"]}");
        while (!page.at("/hits/hits").isEmpty()) {
            for (JsonNode hit : page.at("/hits/hits")) {
                check(hit, numbers);
            }
            page = cluster.post(
                    "/_search/scroll",
                    JSON.createObjectNode()
                            .put("scroll", "1m")
                            .put("scroll_id", page.path("_scroll_id").asText())
                            .toString());
        }
        cluster.call("DELETE", "/_search/scroll/_all", "");
        return numbers;
    }

    private void check(JsonNode hit, BitSet numbers) {
        JsonNode source = hit.path("_source");
        int number = source.path("n").asInt(-1);
        if (!planted.documents().isIntact(source) || planted.bad().get(number)) {
            throw new AssertionError("C or P: " + hit);
        }
        if (numbers.get(number)) {
            throw new AssertionError("D: " + hit);
        }
        numbers.set(number);
    }

    /** The numbers of the dead letters, by line, as what is no JSON has no number. */
    static BitSet deadLetters(Program program) {
        BitSet numbers = new BitSet();
        for (JsonNode letter : letters(program.deadLetters())) {
            numbers.set(letter.path("line").asInt() - 1);
        }
        return numbers;
    }

    /** Every dead letter in a file; a torn last line fails. */
    static List<JsonNode> letters(Path file) {
        if (!Files.exists(file)) {
            return List.of();
        }
        try (var lines = JSON.readerFor(JsonNode.class).<JsonNode>readValues(file.toFile())) {
            return lines.readAll();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
