package io.penstock.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Experiments, as people run them. */
@RealNode
class BenchIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @TempDir
    Path folder;

    private RealCluster node;
    private Program program;

    @BeforeEach
    void open(RealCluster cluster) {
        node = cluster;
        program = new Program(folder);
    }

    @AfterEach
    void close() {
        program.close();
    }

    @Test
    void measuresEachCellInEachRoundLeavesTheClusterAsItWasAndFailsBelowABaseline() throws Exception {
        Program.Ended ended = run(2).end(LIMIT);

        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(ended.err()).contains("2 cells x 2 rounds", "round 2, clients=2: ");
        JsonNode result = ended.summary();
        List<JsonNode> trials = new ArrayList<>(); // what could not be used on a busy machine was tried again
        result.path("trials").forEach(trial -> {
            if (trial.path("unusable").isMissingNode()) {
                trials.add(trial);
            }
        });
        assertThat(trials).hasSize(4);
        for (JsonNode trial : trials) {
            assertThat(trial.at("/values/docs_per_second").asDouble()).isPositive();
            assertThat(trial.at("/values/rejected_percent").asDouble()).isZero();
            assertThat(trial.path("quantiles_ms")).isNotEmpty();
            assertThat(trial.at("/series/write queue")).isNotEmpty();
            assertThat(trial.at("/series/query, ms")).isNotEmpty();
        }
        assertThat(result.at("/cells/1/measured/docs_per_second/ratio/rounds").asInt())
                .isEqualTo(2);
        assertThat(node.exists("/penstock-bench")).isFalse();
        assertThat(Files.readString(results().resolve("report.html"))).contains("Do two clients load more than one?");
        assertThat(Files.readString(results().resolve("report.md"))).contains("| clients=1 |", "baseline");

        Program.Ended worse = program.start(
                        "bench",
                        "run",
                        file(2).toString(),
                        "-t",
                        node.url().toString(),
                        "--resume", // nothing is left to measure
                        results().toString(),
                        "--baseline",
                        results().toString(),
                        "--fail-below",
                        "100")
                .end(LIMIT);
        assertThat(worse.exit()).as(worse.err()).isEqualTo(10);
        assertThat(worse.err()).contains("times the documents/s of the baseline");
    }

    @Test
    @Tag("torture")
    void anInterruptedExperimentHasAReportAndIsGoneOnWith() throws Exception {
        Program.Running running = run(40);
        await().atMost(LIMIT).until(() -> finished(running) >= 2);
        running.signal("INT");
        Program.Ended ended = running.end(Duration.ofSeconds(30));

        assertThat(ended.exit()).as(ended.err()).isEqualTo(130);
        int kept = ended.summary().path("trials").size();
        assertThat(kept).isBetween(2, 20);
        assertThat(results().resolve("report.html")).isNotEmptyFile();

        // The same experiment: what is there is not measured again.
        Path before = results();
        Program.Running more = program.start(
                "bench", "run", file(40).toString(), "-t", node.url().toString(), "--resume", before.toString());
        await().atMost(LIMIT).until(() -> finished(more) > kept);
        more.signal("TERM");
        Program.Ended again = more.end(Duration.ofSeconds(30));
        assertThat(again.exit()).as(again.err()).isEqualTo(143);
        assertThat(again.err()).doesNotContain("round 1, clients=1: ");
        assertThat(again.summary().path("trials").size()).isGreaterThan(kept);
    }

    /** On servers of its own, with a load by Penstock among the cells; they are gone afterwards. */
    @Test
    @Tag("torture")
    void startsServersOfItsOwnAndRemovesThem() throws Exception {
        Path file = Files.writeString(folder.resolve("own.yaml"), """
                question: Does it run?
                base: {documents: "20000", heap: 512m}
                cells:
                  clients: {}
                  penstock: {loader: penstock}
                  bare: {loader: bare}
                  merged: {force_merge: "1"}
                  inferred: {loader: penstock, mapping: inferred}
                  reindex: {loader: reindex}
                  server-reindex: {loader: server-reindex}
                rounds: 1
                measure: [seconds, client_cpu, merged_segments]
                """);
        Program.Ended ended = program.start(
                        "bench",
                        "run",
                        file.toString(),
                        "--results",
                        folder.resolve("results").toString())
                .end(LIMIT.multipliedBy(2));

        assertThat(ended.exit()).as(ended.err()).isZero();
        for (JsonNode trial : ended.summary().path("trials")) {
            assertThat(trial.has("unusable")).as(trial.toString()).isFalse();
            assertThat(trial.at("/values/seconds").asDouble()).isPositive();
        }
        assertThat(ProcessHandle.allProcesses()
                        .filter(process ->
                                process.info().commandLine().orElse("").contains(folder.toString())))
                .isEmpty();
    }

    private Program.Running run(int rounds) throws Exception {
        return program.start(
                "bench",
                "run",
                file(rounds).toString(),
                "-t",
                node.url().toString(),
                "--results",
                folder.resolve("results").toString());
    }

    private Path file(int rounds) throws Exception {
        return Files.writeString(folder.resolve("clients.yaml"), """
                question: Do two clients load more than one?
                base: {workload: apache, bulk_documents: 200, documents: 4000, rate: 2000}
                vary: {clients: [1, 2]}
                rounds: %d
                measure: [docs_per_second, p99_ms, rejected_percent, disk_mb]
                """.formatted(rounds));
    }

    private Path results() throws Exception {
        try (Stream<Path> all = Files.list(folder.resolve("results"))) {
            return all.findFirst().orElseThrow();
        }
    }

    private int finished(Program.Running running) throws Exception {
        Path results = folder.resolve("results");
        if (!Files.isDirectory(results) || !Files.exists(results().resolve("result.json"))) {
            return 0;
        }
        assertThat(running.isAlive()).isTrue();
        return new ObjectMapper()
                .readTree(results().resolve("result.json").toFile())
                .path("trials")
                .size();
    }
}
