package io.penstock.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.proxy.Fault;
import io.penstock.testkit.proxy.FaultProxy;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows 89, 90, 91, 92 and 94: no room, no inodes, no sync and no larger files for checkpoint and dead letters. */
@Tag("torture")
@RealNode
class FullDiskIT {
    private static final PlantedDocuments PLANTED = PlantedDocuments.of(20_000, 89);
    private static final String INDEX = "full";

    @TempDir
    Path folder;

    private RealCluster node;
    private FaultProxy proxy;
    private Program program;
    private Path disk;
    private boolean mounted;

    @BeforeEach
    void start(RealCluster cluster) throws IOException {
        node = cluster;
        proxy = FaultProxy.start(cluster.url());
        program = new Program(folder);
        disk = Files.createDirectory(folder.resolve("disk"));
    }

    @AfterEach
    void end() throws Exception {
        program.close();
        proxy.close();
        node.call("DELETE", "/" + INDEX, "");
        if (mounted) {
            run("umount", "--lazy", disk.toString());
        }
    }

    @ParameterizedTest(name = "no more {0}")
    @ValueSource(strings = {"space", "inodes"})
    void checkpointThatCannotBeWrittenEndsTheLoadAndKeepsTheOldOne(String what) throws Exception {
        mount(what.equals("space") ? "size=1m" : "size=8m,nr_inodes=16");
        program.state(disk.resolve("state")).deadLetters(folder.resolve("dead.ndjson"));
        proxy.always(new Fault.DelayedReply(Duration.ofMillis(50)));
        Program.Running running = load();
        await().atMost(60, TimeUnit.SECONDS).until(() -> program.checkpointed() > 0);
        if (what.equals("space")) {
            fillWithBytes();
        } else {
            fillWithFiles();
        }
        long before = program.checkpointed();
        Program.Ended ended = running.end();
        assertRefusedForState(ended);
        assertThat(program.checkpointed()).as("old checkpoint").isBetween(1L, (long) PLANTED.count() - 1);
        assertThat(program.checkpointed()).isGreaterThanOrEqualTo(before);
        assertThat(ended.err()).contains("free disk space");
        proof().nothingLostBelow(program.checkpointed(), program);

        Program.Ended still = load().end();
        assertRefusedForState(still);
        free();
        proof().complete(program, load().end());
    }

    @Test
    void deadLettersThatCannotBeWrittenEndTheLoadBeforeACheckpointPassesThem() throws Exception {
        mount("size=1m");
        program.deadLetters(disk.resolve("dead.ndjson"));
        fillWithBytes();
        Program.Ended ended = load().end();
        assertRefusedForState(ended);
        proof().nothingLostBelow(program.checkpointed(), program);
        assertThat(program.checkpointed()).isLessThan(PLANTED.count());
        free();
        proof().complete(program, load().end());
    }

    @Test
    @Tag("torture")
    void fileSizeLimitEndsTheLoadAndTheNextRunWithoutItGoesOn() throws Exception {
        program.under("bash", "-c", "ulimit -f 8; exec \"$@\"", "limited");
        Program.Ended ended = load().end();
        assertRefusedForState(ended);
        assertThat(ended.err()).contains("File too large");
        proof().nothingLostBelow(program.checkpointed(), program);
        program.under();
        proof().complete(program, load().end());
    }

    /** The n-th sync of a thread fails once; the next would report success, so nothing may ask again. */
    @ParameterizedTest(name = "sync number {0}")
    @ValueSource(ints = {1, 2, 3})
    @Tag("torture")
    void checkpointThatIsNotSyncedEndsTheLoadAtOnce(int number) throws Exception {
        assumeTrue(run("strace", "-V") == 0, "strace is not installed: apt-get install strace");
        String fault = "fsync,fdatasync:error=EIO:when=" + number;
        program.under("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", "inject=" + fault);
        assertNotSynced();
    }

    @Test
    @Tag("torture")
    void deadLettersThatAreNotSyncedEndTheLoadBeforeACheckpointPassesThem() throws Exception {
        assumeTrue(run("strace", "-V") == 0, "strace is not installed: apt-get install strace");
        Path letters = Files.createFile(folder.resolve("dead.ndjson"));
        program.deadLetters(letters)
                .under(
                        "strace",
                        "-f",
                        "-qq",
                        "-o",
                        "/dev/null",
                        "-P",
                        letters.toString(),
                        "-e",
                        "trace=fsync,fdatasync",
                        "-e",
                        "inject=fsync,fdatasync:error=EIO");
        assertNotSynced();
    }

    private void assertNotSynced() throws Exception {
        Program.Ended ended = load().end();
        assertRefusedForState(ended);
        assertThat(ended.err()).contains("the disk did not confirm a write");
        if (Files.isDirectory(program.state().resolve("jobs")) && node.exists("/" + INDEX)) {
            proof().nothingLostBelow(program.checkpointed(), program);
        }
        program.under();
        proof().complete(program, load().end());
    }

    private static void assertRefusedForState(Program.Ended ended) {
        assertThat(ended.exit()).as(ended.err()).isEqualTo(8);
        if (!ended.out().isEmpty()) {
            assertThat(ended.summary().path("status").asText()).isEqualTo("failed");
            Proof.equation(ended);
        }
    }

    private Program.Running load() throws IOException {
        Path file = folder.resolve("in.ndjson");
        if (!Files.exists(file)) {
            PLANTED.write(file);
        }
        Path mapping = Files.writeString(folder.resolve("mapping.json"), PlantedDocuments.MAPPING);
        return program.load(
                proxy.url(),
                file,
                INDEX,
                "--mapping",
                mapping.toString(),
                "--replicas",
                "0",
                "--bulk-bytes",
                "64kb",
                "--concurrency",
                "2");
    }

    private Proof proof() {
        return new Proof(node, PLANTED, INDEX);
    }

    private void mount(String options) throws Exception {
        mounted = run("mount", "-t", "tmpfs", "-o", options, "tmpfs", disk.toString()) == 0;
        assumeTrue(mounted, "only root can mount a small disk to fill");
    }

    private void fillWithBytes() throws IOException {
        try (OutputStream filler = Files.newOutputStream(disk.resolve("filler"))) {
            byte[] bytes = new byte[4096];
            for (int page = 0; page < 100_000; page++) {
                filler.write(bytes);
            }
            throw new AssertionError("the small disk does not get full");
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space left");
        }
    }

    private void fillWithFiles() throws IOException {
        try {
            for (int number = 0; number < 100_000; number++) {
                Files.createFile(disk.resolve("filler" + number));
            }
            throw new AssertionError("the small disk does not get full");
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space left");
        }
    }

    private void free() throws IOException {
        try (Stream<Path> fillers = Files.list(disk)) {
            for (Path filler : (Iterable<Path>)
                    fillers.filter(file -> file.getFileName().toString().startsWith("filler"))::iterator) {
                Files.delete(filler);
            }
        }
    }

    private static int run(String... words) throws InterruptedException {
        try {
            return new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException absent) {
            return -1;
        }
    }
}
