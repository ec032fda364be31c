package io.penstock.source.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.document.Document;
import io.penstock.core.document.Operation;
import io.penstock.core.document.Position;
import io.penstock.core.source.SourceException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NdjsonReaderTest {
    @TempDir
    Path folder;

    @Test
    void passesLinesOnAsTheyAreAndSkipsWhatIsNone() {
        var readings = Readings.of(
                "\ufeff{\"a\":1}\r\n\n \t\r\n  {\"b\" : 1e400}\n{\"c\":\"x\ry\"}\r\n{\"d\":-0}", Format.NDJSON);

        assertThat(readings.lines())
                .containsExactly(
                        "3/1 index {\"a\":1}",
                        "17/4 index   {\"b\" : 1e400}",
                        "33/5 index {\"c\":\"x\ry\"}",
                        "46/6 index {\"d\":-0}");
        assertThat(readings.failure()).isNull();
    }

    @Test
    void tellsLinesThatCannotBeObjectsWithTheirPlace() {
        var readings = Readings.of("{\"a\":1}\n[1]\n42\n\"x\"\nnot json\r\n{\"b\":", Format.NDJSON);

        String reason = " | the line is not a JSON object";
        assertThat(readings.lines())
                .containsExactly(
                        "0/1 index {\"a\":1}",
                        "8/2 BAD parse[3] [1]" + reason,
                        "12/3 BAD parse[2] 42" + reason,
                        "15/4 BAD parse[3] \"x\"" + reason,
                        "19/5 BAD parse[8] not json" + reason,
                        "29/6 index {\"b\":");
    }

    @Test
    void tellsBytesThatAreNotUtf8AndKeepsThem() {
        List<byte[]> wrong = List.of(
                new byte[] {(byte) 0xff, (byte) 0xfe},
                new byte[] {(byte) 0xc0, (byte) 0xaf},
                new byte[] {(byte) 0xe0, (byte) 0x80, (byte) 0xaf},
                new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80},
                new byte[] {(byte) 0xf4, (byte) 0x90, (byte) 0x80, (byte) 0x80},
                new byte[] {(byte) 0xf5, (byte) 0x80},
                new byte[] {(byte) 0xe2, (byte) 0x82},
                new byte[] {(byte) 0x80});
        for (byte[] bytes : wrong) {
            var readings = Readings.of(
                    Readings.bytes("{\"a\":1}\n{\"s\":\"", bytes, "\"}\n{\"ü\":\"€𝄞\"}\n"),
                    FileOptions.of(Format.NDJSON));

            String original = "{\"s\":\"" + new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1) + "\"}";
            assertThat(readings.lines()).hasSize(3);
            assertThat(readings.lines().get(1)).startsWith("8/2 BAD encoding[" + original.length() + "] " + original);
            assertThat(readings.lines().get(2)).contains("index").endsWith("Ã¼\":\"â\u0082¬ð\u009d\u0084\u009e\"}");
        }
    }

    @Test
    void tellsALastLineThatIsCutInsideACharacter() {
        var readings = Readings.of(Readings.bytes("{\"a\":\"", new byte[] {(byte) 0xe2}), FileOptions.defaults());

        assertThat(readings.lines().get(0)).startsWith("0/1 BAD encoding[7]").endsWith("byte 7 of it is not UTF-8");
    }

    @Test
    void passesOverLinesAboveTheLimitAndTellsTheirHash() throws Exception {
        for (int size : new int[] {101, 200_000, 300_000, 2_000_000}) {
            String large = "{" + " ".repeat(size - 2) + "}";
            var options = limited(100);
            var readings = Readings.of("{\"a\":1}\n" + large + "\r\n{\"b\":2}\n", options);

            String hash = HexFormat.of()
                    .formatHex(java.security.MessageDigest.getInstance("SHA-256")
                            .digest(large.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
            assertThat(readings.lines())
                    .containsExactly(
                            "0/1 index {\"a\":1}",
                            "8/2 BAD too_large[" + size + "]  | it has " + size
                                    + " bytes, and the limit is 100; its SHA-256 is " + hash,
                            (size + 10) + "/3 index {\"b\":2}");
        }
    }

    @Test
    void givesALineAsLargeAsTheLimitWhole() {
        String large = "{\"a\":\"" + "ü".repeat(700_000) + "\"}";
        int size = large.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;

        var readings = Readings.of(large + "\r\n" + large, limited(size));

        assertThat(readings.lines()).hasSize(2);
        assertThat(readings.lines().get(0)).startsWith("0/1 index ").endsWith(":" + size);
        assertThat(readings.lines().get(1)).startsWith((size + 2) + "/2 index ").endsWith(":" + size);
    }

    @Test
    void ownsOnlyBodiesLargerThanItsBuffer() throws SourceException {
        var source =
                Readings.file(folder, Readings.bytes("{}\n{" + " ".repeat(600_000) + "}\n"), FileOptions.defaults());
        try (var reader = source.open(source.partitions().get(0), Position.START)) {
            assertThat(((Document) reader.next()).body().isOwned()).isFalse();
            assertThat(((Document) reader.next()).body().isOwned()).isTrue();
            assertThat(reader.storedBytesRead()).isEqualTo(600_006);
        }
    }

    @Test
    void takesTheAddressFromFields() {
        var options = fields(Operation.INDEX, "m.id", "r", "v");
        var readings = Readings.of("""
                {"v":7,"m":{"x":[{"id":0}],"id":"ä"},"r":true,"rest":nonsense
                {"r":null,"m.id":12,"v":0}
                {"m":{"id":""},"v":1}
                {"m":{"id":null},"v":1}
                {"m":{"id":1.5},"v":1}
                {"m":"id","v":1}
                {"m":{"id":"x"},"v":-1}
                {"m":{"id":"x"},"v":9223372036854775808}
                {"m":{"id":"x"}}
                {"m":{"id":"x"},"v":1,"r":[]}
                {"m":{"id":"x"}, oops
                {"m":{"id":"\\ud800"},"v":1}
                """, options);

        assertThat(readings.lines().get(0)).startsWith("0/1 index id=ä routing=true version=7 {");
        assertThat(readings.lines().get(1)).contains("index id=12 version=0 {\"r\":null,\"m.id\":12,\"v\":0}");
        assertThat(readings.lines().stream().skip(2).map(line -> line.replaceAll(".*BAD (\\w+)\\[.*", "$1")))
                .containsExactly("id", "id", "id", "id", "version", "version", "version", "routing", "parse", "id");
    }

    @Test
    void countsTheBytesOfAnId() {
        for (String id : List.of("x".repeat(512), "€".repeat(170) + "xx")) {
            assertThat(Readings.of("{\"id\":\"" + id + "\"}", fields(Operation.INDEX, "id", "-", null))
                            .lines()
                            .get(0))
                    .startsWith("0/1 index id=" + id);
            assertThat(Readings.of("{\"id\":\"" + id + "y\"}", fields(Operation.INDEX, "id", "-", null))
                            .lines()
                            .get(0))
                    .startsWith("0/1 BAD id");
        }
    }

    @Test
    void survivesDepth() {
        String deep = "{\"x\":" + "[".repeat(2000) + "]".repeat(2000) + ",\"id\":1}";

        assertThat(Readings.of(deep, Format.NDJSON).lines()).containsExactly("0/1 index " + bodyText(deep));
        assertThat(Readings.of(deep, fields(Operation.INDEX, "id", "-", null))
                        .lines()
                        .get(0))
                .startsWith("0/1 BAD parse[4013]");
    }

    @Test
    void wrapsUpdatesAndEmptiesDeletes() {
        String content = "{\"id\":1}\n{\"id\":2,\"x\":\"" + "y".repeat(300_000) + "\"}\n";

        assertThat(Readings.of(content, fields(Operation.UPDATE, "id", "-", null))
                        .lines())
                .startsWith("0/1 update id=1 {\"doc\":{\"id\":1}}")
                .last()
                .asString()
                .startsWith("9/2 update id=2 ")
                .endsWith(":300023");
        assertThat(Readings.of(content, fields(Operation.DELETE, "id", "-", null))
                        .lines())
                .containsExactly("0/1 delete id=1 ", "9/2 delete id=2 ");
    }

    @Test
    void readsTheSameHoweverTheBytesComeAndWhereverItIsResumed() {
        var random = Readings.random();
        for (int round = 0; round < 60; round++) {
            var content = new StringBuilder();
            List<String> expected = new ArrayList<>();
            long line = 1;
            for (int i = random.nextInt(20); i > 0; i--) {
                int size = random.nextInt(30) == 0 ? random.nextInt(700_000) : random.nextInt(1000);
                String body = "{\"é" + "x".repeat(size) + "\"}";
                long offset = content.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
                expected.add(offset + "/" + line + " index " + bodyText(body));
                content.append(body).append(random.nextBoolean() ? "\r\n" : "\n");
                line++;
                if (random.nextInt(5) == 0) {
                    content.append(" \n");
                    line++;
                }
            }
            byte[] bytes = Readings.bytes(content);
            var readings = Readings.of(bytes, FileOptions.of(Format.NDJSON));

            assertThat(readings.lines()).as(Readings.seed()).isEqualTo(expected);
            readings.checkResume(Readings.file(folder, bytes, FileOptions.defaults()));
        }
    }

    @Test
    void refusesToGoOnWhereNoLineBegins() {
        var source = Readings.file(folder, Readings.bytes("{\"a\":1}\n{\"b\":2}\n"), FileOptions.defaults());
        for (long offset : new long[] {1, 7, 9, 17, 1000}) {
            var readings = Readings.of(source, source.partitions().get(0), new Position(offset, 2));

            assertThat(readings.failure()).as("offset " + offset).isNotNull();
            assertThat(readings.failed().reason()).isEqualTo(SourceException.Reason.CHANGED);
        }
    }

    private static String bodyText(String body) {
        String text = new String(Readings.bytes(body), java.nio.charset.StandardCharsets.ISO_8859_1);
        return text.length() > 2000 ? text.hashCode() + ":" + text.length() : text;
    }

    private static FileOptions limited(long bytes) {
        return new FileOptions(
                Format.NDJSON, Operation.INDEX, Optional.empty(), Optional.empty(), Optional.empty(), bytes);
    }

    static FileOptions fields(
            Operation operation, String id, String routing, @org.jspecify.annotations.Nullable String version) {
        return new FileOptions(
                Format.NDJSON,
                operation,
                Optional.of(id),
                Optional.of(routing),
                Optional.ofNullable(version),
                FileOptions.DEFAULT_MAX_DOCUMENT_BYTES);
    }
}
