package io.penstock.source.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ApacheLogReaderTest {
    private static final String START = "1.2.3.4 - - [17/May/2015:10:05:03 +0000] ";

    @TempDir
    Path folder;

    @Test
    void readsBothFormats() {
        String content = START + "\"GET /a%20b?c=\\\"d\\\" HTTP/1.1\" 200 12 \"http://x/\" \"A \\\\ B\"\n"
                + "h i bob smith [01/Dec/2020:23:59:60 -0330] \"POST / HTTP/2\" 404 -\r\n"
                + START + "\"-\" 408 0 \"-\" \"-\"\n"
                + START + "\"\\x16\\x03\" 400 1\n";
        var readings = Readings.of(content, Format.AUTO);

        assertThat(readings.lines().stream().map(line -> line.replaceFirst("^.*? index ", "")))
                .containsExactly(
                        "{\"@timestamp\":\"2015-05-17T10:05:03+00:00\",\"clientip\":\"1.2.3.4\",\"method\":\"GET\","
                                + "\"path\":\"/a%20b?c=\\\"d\\\"\",\"protocol\":\"HTTP/1.1\",\"status\":200,\"bytes\":12,"
                                + "\"referer\":\"http://x/\",\"agent\":\"A \\\\ B\"}",
                        "{\"@timestamp\":\"2020-12-01T23:59:60-03:30\",\"clientip\":\"h\",\"ident\":\"i\","
                                + "\"auth\":\"bob smith\",\"method\":\"POST\",\"path\":\"/\",\"protocol\":\"HTTP/2\","
                                + "\"status\":404}",
                        "{\"@timestamp\":\"2015-05-17T10:05:03+00:00\",\"clientip\":\"1.2.3.4\",\"request\":\"-\","
                                + "\"status\":408,\"bytes\":0}",
                        "{\"@timestamp\":\"2015-05-17T10:05:03+00:00\",\"clientip\":\"1.2.3.4\","
                                + "\"request\":\"\\\\x16\\\\x03\",\"status\":400,\"bytes\":1}");
        readings.checkResume(Readings.file(folder, Readings.bytes(content), FileOptions.defaults()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x",
                START,
                START + "\"GET / HTTP/1.1\"",
                START + "\"GET / HTTP/1.1\" 200",
                START + "\"GET / HTTP/1.1\" 200 x",
                START + "\"GET / HTTP/1.1\" 200 1 \"-\"",
                START + "\"GET / HTTP/1.1\" 200 1 \"-\" \"open",
                START + "\"GET / HTTP/1.1\" 200 1 \"-\" \"open\\",
                START + "\"GET / HTTP/1.1\" 200 1 \"-\" \"-\" more",
                START + "\"GET / HTTP/1.1\" 200000 1",
                "1.2.3.4 - - [17/Mai/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1",
                "1.2.3.4 - - [32/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1",
                "1.2.3.4 - - [17/May/2015:24:05:03 +0000] \"GET / HTTP/1.1\" 200 1",
                " - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1"
            })
    void tellsLinesThatDoNotMatch(String line) {
        var readings = Readings.of(line + "\n" + START + "\"GET / HTTP/1.1\" 200 1\n", Format.APACHE);

        assertThat(readings.lines()).hasSize(2);
        assertThat(readings.lines().get(0))
                .isEqualTo("0/1 BAD format[" + line.length() + "] " + line
                        + " | the line is neither in common nor in combined log format");
    }

    @Test
    void readsTheSample() throws Exception {
        var source = FileSource.of(List.of("../../dev/samples/apache_logs.gz"), FileOptions.defaults());
        var partition = source.partitions().get(0);
        var readings = Readings.of(source, partition, io.penstock.core.document.Position.START);

        assertThat(readings.failure()).isNull();
        assertThat(readings.lines()).hasSize(10_000);
        assertThat(readings.lines().stream().filter(line -> line.contains(" BAD ")))
                .singleElement()
                .asString()
                .contains("/8899 BAD format[");
        assertThat(readings.lines().stream().filter(line -> line.contains("\"request\"")))
                .isEmpty();
        var rest = Readings.of(source, partition, readings.positions().get(9000));
        assertThat(rest.lines()).isEqualTo(readings.lines().subList(9000, 10_000));
    }
}
