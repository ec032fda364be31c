package io.penstock.source.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.document.Position;
import io.penstock.core.source.SourceException.Reason;
import java.io.ByteArrayInputStream;
import java.io.SequenceInputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonArrayReaderTest {
    @TempDir
    Path folder;

    @Test
    void givesEachElementItsBytesAndPlace() {
        String content = "\ufeff \n[ {\"a\" :1e400, \"b\":[{}]},\n{\"c\":\"]},\\\"\\\\\"}\n ,{\n\"d\"\n:\"ü\"}\n]\n ";
        var readings = Readings.of(content, Format.AUTO);

        assertThat(readings.failure()).isNull();
        assertThat(readings.lines())
                .containsExactly(
                        "7/2 index {\"a\" :1e400, \"b\":[{}]}",
                        "31/3 index {\"c\":\"]},\\\"\\\\\"}",
                        "49/4 index { \"d\" :\"Ã¼\"}");
        var source = Readings.file(folder, Readings.bytes(content), FileOptions.defaults());
        readings.checkResume(source);
        var atElement = Readings.of(source, source.partitions().get(0), new Position(31, 3));
        assertThat(atElement.lines()).isEqualTo(readings.lines().subList(1, 3));
    }

    /** A pipe may give the mark and a blank line first: they do not say what follows. */
    @Test
    void isRecognisedBehindAMarkAndABlankLineThatCameAlone() throws Exception {
        var pieces = new SequenceInputStream(
                new ByteArrayInputStream(Readings.bytes("\ufeff \n")),
                new ByteArrayInputStream(Readings.bytes("[{\"a\":1}]")));
        var source = FileSource.of(List.of("-"), FileOptions.of(Format.AUTO), pieces, Duration.ZERO);

        assertThat(Readings.of(source, source.partitions().get(0), Position.START)
                        .lines())
                .containsExactly("6/2 index {\"a\":1}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " \n", "[]", " [ ] \n"})
    void hasNoElements(String content) {
        var readings = Readings.of(content, Format.JSON);

        assertThat(readings.lines()).isEmpty();
        assertThat(readings.failure()).isNull();
    }

    @Test
    void tellsElementsThatAreNoDocuments() {
        byte[] content = Readings.bytes(
                "[1, \"x\" ,null,[{}],{\"a\":\"\n\"},{\"b\":\"",
                new byte[] {(byte) 0xff},
                "\"},{\"x\":",
                "[".repeat(2000),
                "]".repeat(2000),
                "},{\"z\":\"\t\"}]");
        var readings = Readings.of(content, FileOptions.of(Format.JSON));

        assertThat(readings.failure()).isNull();
        assertThat(readings.lines().stream().map(line -> line.replaceAll("(?s) \\S*\\{.*| \\|.*| -?\\d+:\\d+", "")))
                .containsExactly(
                        "1/1 BAD parse[1] 1",
                        "4/1 BAD parse[3] \"x\"",
                        "9/1 BAD parse[4] null",
                        "14/1 BAD parse[4]",
                        "19/1 BAD parse[9]",
                        "29/2 BAD encoding[9]",
                        "39/2 BAD parse[4006]",
                        "4046/2 index");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"a\":1}           | CORRUPT",
                "[{\"a\":1}          | TRUNCATED",
                "[{\"a\":1},         | TRUNCATED",
                "[{\"a\":1},{\"b\"   | TRUNCATED",
                "[{\"a\":1},{\"b\":\"| TRUNCATED",
                "[{\"a\":1},]        | CORRUPT",
                "[{\"a\":1}{\"b\":1}]| CORRUPT",
                "[{\"a\":1},{\"b\"}] | CORRUPT",
                "[{\"a\":1},{\"b\":]}]| CORRUPT",
                "[{\"a\":1},nul]     | CORRUPT",
                "[{\"a\":1}]x        | CORRUPT",
                "[,{\"a\":1}]        | CORRUPT",
                "[{\"a\":1},,{\"b\":1}]| CORRUPT",
                "[}                 | CORRUPT"
            })
    void stopsWhereTheArrayIsBroken(String content, Reason reason) {
        var readings = Readings.of(content, Format.JSON);

        assertThat(readings.failure()).isNotNull();
        assertThat(readings.failed().reason()).isEqualTo(reason);
        boolean first = content.startsWith("[{\"");
        assertThat(readings.lines()).hasSize(first ? 1 : 0);
        assertThat(readings.failed().position().offset()).isEqualTo(first ? 8 : 0);
    }

    @Test
    void readsElementsOfAnySize() {
        var random = Readings.random();
        var content = new StringBuilder("[");
        for (int i = 0; i < 40; i++) {
            int size = random.nextInt(8) == 0 ? random.nextInt(700_000) : random.nextInt(300);
            content.append(i == 0 ? "" : random.nextBoolean() ? ",\n" : " , ")
                    .append("{\"a\":\"")
                    .append("}\\\"".repeat(size / 3))
                    .append("\"}");
        }
        byte[] bytes = Readings.bytes(content.append("]"));
        var readings = Readings.of(bytes, FileOptions.of(Format.JSON));

        assertThat(readings.failure()).as(Readings.seed()).isNull();
        assertThat(readings.lines()).as(Readings.seed()).hasSize(40);
        readings.checkResume(Readings.file(folder, bytes, FileOptions.defaults()));
    }
}
