package io.penstock.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.proxy.Fault;
import io.penstock.testkit.proxy.FaultProxy;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows 95, 96, 103, 104 and 105: a checkpoint is damaged, or the source is not what it was or should be. */
@RealNode
class DamageIT {
    private static final String INDEX = "damaged";

    @TempDir
    Path folder;

    private RealCluster node;
    private FaultProxy proxy;
    private Program program;

    @BeforeEach
    void start(RealCluster cluster) {
        node = cluster;
        proxy = FaultProxy.start(cluster.url());
        program = new Program(folder);
    }

    @AfterEach
    void end() {
        program.close();
        proxy.close();
        node.call("DELETE", "/" + INDEX, "");
    }

    @Test
    void damagedCheckpointFallsBackToTheOneBeforeAndWithoutAnyTheLoadIsRefused() throws Exception {
        PlantedDocuments planted = PlantedDocuments.of(20_000, 95);
        Path file = planted.write(folder.resolve("in.ndjson"));
        killAfterCheckpoints(file);
        long newest = program.checkpointed();
        Path checkpoint = program.job().resolve("checkpoint");
        flip(checkpoint, Files.size(checkpoint) / 2);
        assertThat(program.checkpointed()).as("the one before").isLessThanOrEqualTo(newest);

        Path previous = program.job().resolve("checkpoint.previous");
        byte[] whole = Files.readAllBytes(previous);
        flip(previous, whole.length / 2);
        long writes = node.writes(INDEX);
        Program.Ended refused = load(file).end();
        assertThat(refused.exit()).as(refused.err()).isEqualTo(8);
        assertThat(refused.err()).contains("checkpoint is damaged", "--restart");
        assertThat(node.writes(INDEX)).as("nothing was sent").isEqualTo(writes);

        Files.write(previous, whole);
        new Proof(node, planted, INDEX).complete(program, load(file).end());
    }

    @Test
    void sourceThatWasReplacedOrShortenedBetweenRunsIsRefused() throws Exception {
        PlantedDocuments planted = PlantedDocuments.of(20_000, 96);
        Path file = planted.write(folder.resolve("in.ndjson"));
        killAfterCheckpoints(file);
        long writes = node.writes(INDEX);
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, whole.length / 2));
        assertChanged(file, writes);
        PlantedDocuments.of(20_000, 960).write(file);
        assertChanged(file, writes);
    }

    private void assertChanged(Path file, long writes) throws Exception {
        Program.Ended refused = load(file).end();
        assertThat(refused.exit()).as(refused.err()).isEqualTo(5);
        assertThat(refused.err()).contains("has changed since", "--restart");
        assertThat(node.writes(INDEX)).as("nothing was sent").isEqualTo(writes);
    }

    @Test
    void sourceThatIsTruncatedWhileItIsReadIsNoticed() throws Exception {
        PlantedDocuments planted = PlantedDocuments.of(100_000, 103);
        Path file = planted.write(folder.resolve("in.ndjson"));
        // With little memory the reader stands still far from the file's end until answers come.
        program.heap("48m");
        proxy.always(new Fault.HangBefore());
        Program.Running running = load(file);
        await().atMost(60, TimeUnit.SECONDS).until(() -> proxy.journal().requests() >= 2);
        long size = Files.size(file);
        try (var open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(size - 1000);
        }
        running.kill();
        assertThat(load(file).end().exit()).isEqualTo(5);

        planted.write(file);
        proxy.always(new Fault.DelayedReply(Duration.ofMillis(20)));
        running = load(file, "--restart");
        await().atMost(60, TimeUnit.SECONDS).until(() -> proxy.journal().requests() >= 20);
        try (var open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(size - 1000);
        }
        proxy.heal();
        Program.Ended ended = running.end();
        assertThat(ended.exit()).as(ended.err()).isEqualTo(5);
        Proof.equation(ended);
        assertThat(program.checkpoint().orElseThrow().isComplete()).isFalse();
        new Proof(node, planted, INDEX).nothingLostBelow(program.checkpointed(), program);
    }

    @Test
    void gzipCutShortLoadsEveryCompleteLineAndSaysSo() throws Exception {
        PlantedDocuments planted = PlantedDocuments.of(30_000, 104);
        Path file = planted.writeGzip(folder.resolve("in.ndjson.gz"));
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, whole.length / 2));
        Program.Ended cut = load(file).end();
        assertThat(cut.exit()).as(cut.err()).isEqualTo(5);
        Proof.equation(cut);
        long read = cut.documents("read");
        assertThat(read).isPositive().isLessThan(planted.count());
        assertThat(program.checkpointed()).as("checkpointed").isEqualTo(read);
        var proof = new Proof(node, planted, INDEX);
        proof.nothingLostBelow(read, program);
        assertThat(proof.observed().length()).as("nothing behind it").isLessThanOrEqualTo((int) read);

        Files.write(file, whole);
        proof.complete(program, load(file, "--restart").end());
    }

    @Test
    void gzipWithACorruptSecondMemberLoadsTheFirstAndSaysSo() throws Exception {
        PlantedDocuments planted = PlantedDocuments.of(10_000, 105);
        var first = new ByteArrayOutputStream();
        planted.writeMember(first, 0, 5_000);
        Path file = folder.resolve("in.ndjson.gz");
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            first.writeTo(out);
            planted.writeMember(out, 5_000, 10_000);
        }
        flip(file, first.size() + 2); // the compression method in the second header
        Program.Ended ended = load(file).end();
        assertThat(ended.exit()).as(ended.err()).isEqualTo(5);
        Proof.equation(ended);
        assertThat(ended.documents("read")).isEqualTo(5_000);
        assertThat(program.checkpointed()).isEqualTo(5_000);
        new Proof(node, planted, INDEX).nothingLostBelow(5_000, program);
    }

    @Test
    void gzipWithTrailingGarbageIsLoadedAndNotTakenForGood() throws Exception {
        PlantedDocuments planted = PlantedDocuments.of(5_000, 106);
        Path file = planted.writeGzip(folder.resolve("in.ndjson.gz"));
        Files.write(file, "garbage".getBytes(java.nio.charset.StandardCharsets.UTF_8), StandardOpenOption.APPEND);
        Program.Ended ended = load(file).end();
        assertThat(ended.exit()).as(ended.err()).isEqualTo(5);
        assertThat(ended.documents("read")).isEqualTo(5_000);
        new Proof(node, planted, INDEX).nothingLostBelow(5_000, program);
    }

    /** Leaves a checkpoint and one before it. */
    private void killAfterCheckpoints(Path file) throws Exception {
        proxy.always(new Fault.DelayedReply(Duration.ofMillis(50)));
        Program.Running running = load(file);
        await().atMost(60, TimeUnit.SECONDS).until(() -> program.checkpointed() > 0);
        running.kill();
        proxy.heal();
        // What was sent is carried out though nobody waits for the answer.
        long[] before = {-1};
        await().atMost(60, TimeUnit.SECONDS)
                .pollInterval(300, TimeUnit.MILLISECONDS)
                .until(() -> {
                    long last = before[0];
                    before[0] = node.writes(INDEX);
                    return before[0] == last
                            && node.get("/_tasks?actions=*bulk*").path("nodes").isEmpty();
                });
    }

    private Program.Running load(Path file, String... more) throws IOException {
        Path mapping = Files.writeString(folder.resolve("mapping.json"), PlantedDocuments.MAPPING);
        Stream<String> options = Stream.of(
                "--mapping", mapping.toString(), "--replicas", "0", "--bulk-bytes", "64kb", "--concurrency", "2");
        return program.load(
                proxy.url(),
                file,
                INDEX,
                Stream.concat(options, Stream.of(more)).toArray(String[]::new));
    }

    private static void flip(Path file, long offset) throws IOException {
        try (var open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(offset);
            int old = open.read();
            open.seek(offset);
            open.write(old ^ 0x41);
        }
    }
}
