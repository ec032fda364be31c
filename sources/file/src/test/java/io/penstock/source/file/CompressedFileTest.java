package io.penstock.source.file;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import io.penstock.core.document.Operation;
import io.penstock.core.document.Position;
import io.penstock.core.source.SourceException.Reason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

final class CompressedFileTest {
    /** What this test compresses with. */
    enum Method {
        GZIP {
            @Override
            OutputStream open(OutputStream out) throws IOException {
                return new GZIPOutputStream(out);
            }
        },
        ZSTD {
            @Override
            OutputStream open(OutputStream out) throws IOException {
                return new com.github.luben.zstd.ZstdOutputStream(out).setChecksum(true);
            }
        },
        BZIP2 {
            @Override
            OutputStream open(OutputStream out) throws IOException {
                return new BZip2CompressorOutputStream(out, 1);
            }
        },
        XZ {
            @Override
            OutputStream open(OutputStream out) throws IOException {
                return new XZOutputStream(out, new LZMA2Options(1));
            }
        };

        abstract OutputStream open(OutputStream out) throws IOException;

        byte[] compress(String text) {
            var bytes = new ByteArrayOutputStream();
            try (OutputStream out = open(bytes)) {
                out.write(Readings.bytes(text));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return bytes.toByteArray();
        }
    }

    private static final FileOptions NDJSON = FileOptions.of(Format.NDJSON);
    /** The members end inside a line, as they do when a stream is compressed in blocks. */
    private static final List<String> PARTS = List.of("{\"a\":1}\n{\"b\"", ":2}\n{\"c\":3}\n", "{\"d\":4}\n");

    private static final List<String> WHOLE =
            Readings.of(String.join("", PARTS), NDJSON).lines();

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void readsAllMembersAndResumes(Method method) {
        var random = Readings.random();
        var text = new StringBuilder();
        var stored = new ByteArrayOutputStream();
        for (int i = 0; i < 6; i++) {
            var part = new StringBuilder();
            for (int line = random.nextInt(4000); line > 0; line--) {
                part.append("{\"x\":").append(random.nextLong()).append("}\n");
            }
            text.append(part);
            stored.writeBytes(method.compress(part.toString()));
        }
        var plain = Readings.of(text.toString(), NDJSON);
        var source = Readings.file(folder, stored.toByteArray(), NDJSON);
        var partition = source.partitions().get(0);

        var readings = Readings.of(source, partition, Position.START);

        assertThat(readings.failure()).as(Readings.seed()).isNull();
        assertThat(readings.lines()).as(Readings.seed()).isEqualTo(plain.lines());
        for (int i = 0; i < 10; i++) {
            int from = random.nextInt(plain.positions().size());
            var rest = Readings.of(source, partition, plain.positions().get(from));
            assertThat(rest.lines())
                    .as(Readings.seed())
                    .isEqualTo(plain.lines().subList(from, plain.lines().size()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void neverEndsNormallyInsideAMember(Method method) {
        List<Integer> ends = new ArrayList<>(List.of(0));
        var all = new ByteArrayOutputStream();
        for (String part : PARTS) {
            all.writeBytes(method.compress(part));
            ends.add(all.size());
        }
        // Fewer bytes than these are no magic number, and so a file of text.
        for (int length = 10; length < all.size(); length++) {
            var readings = Readings.of(Arrays.copyOf(all.toByteArray(), length), NDJSON);
            int members = (int) ends.stream().filter(limitedTo(length)).count() - 1;
            String wholeMembers = String.join("", PARTS.subList(0, members));

            List<String> wholeLines = linesOf(wholeMembers.substring(0, wholeMembers.lastIndexOf('\n') + 1));
            assertThat(beginsWith(readings.lines(), wholeLines))
                    .as("cut at " + length)
                    .isTrue();
            if (ends.contains(length)) {
                assertThat(readings.failure()).as("cut at " + length).isNull();
            } else {
                assertThat(readings.failed().reason()).as("cut at " + length).isEqualTo(Reason.TRUNCATED);
                assertThat(beginsWith(WHOLE, readings.lines()))
                        .as("cut at " + length)
                        .isTrue();
            }
        }
    }

    private static boolean beginsWith(List<String> all, List<String> first) {
        return first.size() <= all.size() && all.subList(0, first.size()).equals(first);
    }

    private static java.util.function.Predicate<Integer> limitedTo(int length) {
        return end -> end <= length;
    }

    @ParameterizedTest
    @EnumSource
    void neverGivesOtherDocumentsWithoutAFault(Method method) {
        var all = new ByteArrayOutputStream();
        PARTS.forEach(part -> all.writeBytes(method.compress(part)));
        for (int i = 10; i < all.size(); i++) {
            for (int bit = 0; bit < 8; bit += 3) {
                byte[] flipped = all.toByteArray();
                flipped[i] ^= (byte) (1 << bit);
                var readings = Readings.of(flipped, NDJSON);

                boolean right = readings.lines().equals(WHOLE);
                assertThat(right || readings.failure() != null)
                        .as("byte " + i + " bit " + bit + " gave " + readings)
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesGarbageBehindTheLastMemberAfterAllLines(Method method) {
        byte[] member = method.compress(PARTS.get(2));
        for (String garbage : List.of("x", "xyz", "{\"not\":\"compressed\"}\n")) {
            var readings = Readings.of(Readings.bytes(member, member, garbage), NDJSON);

            assertThat(readings.lines()).hasSize(2);
            assertThat(readings.failed().reason()).isIn(Reason.CORRUPT, Reason.TRUNCATED);
            assertThat(readings.failed().position()).isEqualTo(new Position(16, 3));
        }
    }

    @Test
    void refusesEachFaultOfAFurtherGzipMember() {
        byte[] first = Method.GZIP.compress("{\"a\":1}\n");
        byte[] second = Method.GZIP.compress("{\"b\":2}\n");
        for (int[] fault : new int[][] {{0, 0}, {1, 0}, {2, 7}, {3, 0xe0}, {second.length - 6, 1}}) {
            byte[] broken = second.clone();
            broken[fault[0]] = (byte) (fault[1] == 1 ? broken[fault[0]] ^ 1 : fault[1]);
            var readings = Readings.of(Readings.bytes(first, broken), NDJSON);

            assertThat(readings.lines()).as("byte " + fault[0]).contains("0/1 index {\"a\":1}");
            assertThat(readings.failed().reason()).as("byte " + fault[0]).isEqualTo(Reason.CORRUPT);
        }
    }

    @Test
    void acceptsZerosBehindAGzipMember() {
        byte[] first = Method.GZIP.compress("{\"a\":1}\n");

        var padded = Readings.of(Readings.bytes(first, new byte[5000]), NDJSON);
        assertThat(padded.failure()).isNull();
        assertThat(padded.lines()).hasSize(1);
        var more = Readings.of(Readings.bytes(first, new byte[5000], "x"), NDJSON);
        assertThat(more.failed().reason()).isEqualTo(Reason.CORRUPT);
    }

    @Test
    void handsOutAllThatWasDecodedBeforeAFault() {
        var text = new StringBuilder();
        for (int i = 0; i < 100_000; i++) {
            text.append("{\"i\":").append(i * 7919L % 100_003).append("}\n");
        }
        byte[] stored = Method.GZIP.compress(text.toString());
        for (int percent = 1; percent < 100; percent += 7) {
            int cut = (int) (stored.length * (long) percent / 100);
            var readings = Readings.of(Arrays.copyOf(stored, cut), NDJSON);

            assertThat(readings.failed().reason()).isEqualTo(Reason.TRUNCATED);
            assertThat(readings.lines().size()).isEqualTo(linesInflated(stored, cut));
        }
    }

    /** How many whole lines zlib itself gets out of the first bytes of a gzip file without optional header fields. */
    private static int linesInflated(byte[] stored, int cut) {
        var inflater = new java.util.zip.Inflater(true);
        inflater.setInput(stored, 10, cut - 10);
        byte[] plain = new byte[4_000_000];
        int length = 0;
        try {
            int read;
            while ((read = inflater.inflate(plain, length, plain.length - length)) > 0) {
                length += read;
            }
        } catch (java.util.zip.DataFormatException e) {
            throw new AssertionError(e);
        } finally {
            inflater.end();
        }
        int lines = 0;
        for (int i = 0; i < length; i++) {
            lines += plain[i] == '\n' ? 1 : 0;
        }
        return lines;
    }

    @Test
    void readsABombInConstantMemory() {
        var options = new FileOptions(
                Format.NDJSON, Operation.INDEX, Optional.empty(), Optional.empty(), Optional.empty(), 1000);
        byte[] zeros = Zstd.compress(new byte[64 * 1024 * 1024]);

        assertThat(zeros.length).isLessThan(10_000);
        assertThat(Readings.of(zeros, options).lines())
                .singleElement()
                .asString()
                .startsWith("0/1 BAD too_large");
    }

    private static List<String> linesOf(String content) {
        return Readings.of(content, NDJSON).lines();
    }
}
