package io.penstock.program;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.seeds.NumberedDocuments;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Row 12 and the promise that memory is bounded: documents of nearly the largest size the server takes. */
@Tag("torture")
@RealNode(own = true, heap = "2g")
class MemoryIT {
    private static final String INDEX = "large";
    private static final int LARGE_BYTES = 90 << 20;
    private static final NumberedDocuments SMALL = NumberedDocuments.of(3_000);

    /** Kept as they are: what the server does with them is not what is tested. */
    private static final String MAPPING = "{\"enabled\": false}";

    private static final long HEAP_KILOBYTES = 256 << 10;
    private static final long OUTSIDE_HEAP_KILOBYTES = 200 << 10;

    @TempDir
    Path folder;

    @AfterEach
    void removeIndex(RealCluster node) {
        node.call("DELETE", "/" + INDEX, "");
    }

    @Test
    void documentsOf90MegabytesAmongSmallOnesPassWithinTheDefaultHeap(RealCluster node) throws Exception {
        Path file = mix(3);
        try (var program = new Program(folder)) {
            Program.Running running = load(program, node, file);
            long peak = 0;
            while (!running.endsWithin(Duration.ofMillis(50))) {
                peak = Math.max(peak, running.kilobytes("VmHWM"));
            }
            Program.Ended ended = running.end();
            System.out.printf("3 documents of 90 MB and 3,000 small ones: peak of resident memory %,d kB%n", peak);
            assertThat(ended.exit()).as(ended.err()).isZero();
            assertThat(ended.documents("indexed")).isEqualTo(SMALL.count() + 3);
            assertThat(node.count(INDEX)).isEqualTo(SMALL.count() + 3);
            assertThat(peak).isBetween(1L, HEAP_KILOBYTES + OUTSIDE_HEAP_KILOBYTES);
        }
    }

    @Test
    void lackOfMemoryEndsTheProgramWith3AndTheNextRunGoesOn(RealCluster node) throws Exception {
        Path file = mix(1);
        try (var program = new Program(folder)) {
            Program.Ended starved = load(program.heap("40m"), node, file).end();
            assertThat(starved.exit()).as(starved.out() + starved.err()).isEqualTo(3);
            Program.Ended ended = load(program.heap("256m"), node, file).end();
            assertThat(ended.exit()).as(ended.err()).isZero();
            assertThat(ended.documents("indexed")).isEqualTo(SMALL.count() + 1);
            assertThat(node.count(INDEX)).isEqualTo(SMALL.count() + 1);
        }
    }

    private Program.Running load(Program program, RealCluster node, Path file) throws IOException {
        Path mapping = Files.writeString(folder.resolve("mapping.json"), MAPPING);
        return program.load(node.url(), file, INDEX, "--mapping", mapping.toString(), "--replicas", "0");
    }

    /** Small documents with so many large ones between them. */
    private Path mix(int large) throws IOException {
        byte[] text = new byte[LARGE_BYTES];
        Arrays.fill(text, (byte) 'x');
        Path file = folder.resolve("mix.ndjson");
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (int number = 0; number < SMALL.count(); number++) {
                out.write((SMALL.line(number) + "\n").getBytes(UTF_8));
                if (number % (SMALL.count() / large) == SMALL.count() / large / 2) {
                    out.write("{\"text\":\"".getBytes(UTF_8));
                    out.write(text);
                    out.write("\"}\n".getBytes(UTF_8));
                }
            }
        }
        return file;
    }
}
