package io.penstock.source.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.document.Operation;
import io.penstock.core.source.SourceException.Reason;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CsvReaderTest {
    @TempDir
    Path folder;

    @Test
    void makesAnObjectOfEachRecord() {
        String content = "\ufeffid,\"na\"\"me\",c\r\n1,\"a,\"\"b\"\"\r\nc\",\r\n\r\n2,\"\",5\" ü\n3,x\\,\"y\"";
        var readings = Readings.of(content, Format.AUTO);

        assertThat(readings.failure()).isNull();
        assertThat(readings.lines())
                .containsExactly(
                        "18/2 index {\"id\":\"1\",\"na\\\"me\":\"a,\\\"b\\\"\\r\\nc\"}",
                        "37/5 index {\"id\":\"2\",\"na\\\"me\":\"\",\"c\":\"5\\\" Ã¼\"}",
                        "48/6 index {\"id\":\"3\",\"na\\\"me\":\"x\\\\\",\"c\":\"y\"}");
        readings.checkResume(Readings.file(folder, Readings.bytes(content), FileOptions.defaults()));
    }

    @Test
    void tellsBadRecordsAndGoesOn() {
        byte[] content = Readings.bytes(
                "a,b\n1\n1,2,3\n\"x\"y,2\n", new byte[] {(byte) 0xff}, ",1\n1\r2,3\n4,5\n6,\"open\n7,8\n");
        var readings = Readings.of(content, FileOptions.of(Format.CSV));

        assertThat(readings.failure()).isNull();
        assertThat(readings.lines().stream().map(line -> line.replaceFirst(" \\|.*", "")))
                .containsExactly(
                        "4/2 BAD columns[1] 1",
                        "6/3 BAD columns[5] 1,2,3",
                        "12/4 BAD parse[6] \"x\"y,2",
                        "19/5 BAD encoding[3] ÿ,1",
                        "23/6 BAD parse[5] 1\r2,3",
                        "29/7 index {\"a\":\"4\",\"b\":\"5\"}",
                        "33/8 BAD parse[12] 6,\"open\n7,8\n");
    }

    @Test
    void saysAtOnceThatAColumnIsNotThere() {
        var options = new FileOptions(
                Format.CSV, Operation.INDEX, Optional.of("sku"), Optional.empty(), Optional.empty(), 1000);
        var readings = Readings.of("id,name\n1,x\n", options);

        assertThat(readings.lines()).isEmpty();
        assertThat(readings.failure()).hasMessageContaining("it has no column sku, only id, name");
    }

    @Test
    void takesTheAddressFromColumns() {
        var options = new FileOptions(
                Format.TSV, Operation.INDEX, Optional.of("id"), Optional.of("r"), Optional.of("v"), 1000);
        var readings = Readings.of("id\tr\tv\n1\tx\t7\n\t\t7\n2\t\tseven\n", options);

        assertThat(readings.lines().stream().map(line -> line.replaceFirst(" \\|.*", "")))
                .containsExactly(
                        "7/2 index id=1 routing=x version=7 {\"id\":\"1\",\"r\":\"x\",\"v\":\"7\"}",
                        "13/3 BAD id[3] \t\t7",
                        "17/4 BAD version[8] 2\t\tseven");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a,a\n1,2\n", "a,,b\n1,2,3\n", "a,\"b\n1,2\n"})
    void refusesHeadersThatDoNotNameEachColumn(String content) {
        var readings = Readings.of(content, Format.CSV);

        assertThat(readings.failure()).isNotNull();
        assertThat(readings.failed().reason()).isEqualTo(Reason.CORRUPT);
    }

    @Test
    void hasNoDocumentsWithoutRecords() {
        assertThat(Readings.of("", Format.CSV)).extracting(Readings::failure).isNull();
        assertThat(Readings.of("a,b\n", Format.CSV).lines()).isEmpty();
    }

    @Test
    void resumesInALongTable() {
        var random = Readings.random();
        var content = new StringBuilder("a,b\n");
        for (int i = 0; i < 60; i++) {
            int size = random.nextInt(15) == 0 ? random.nextInt(500_000) : random.nextInt(50);
            content.append(i).append(",\"").append("x\n\"\",".repeat(size / 5)).append("\"\r\n");
        }
        byte[] bytes = Readings.bytes(content);
        var readings = Readings.of(bytes, FileOptions.of(Format.CSV));

        assertThat(readings.lines()).as(Readings.seed()).hasSize(60).noneMatch(line -> line.contains("BAD"));
        readings.checkResume(Readings.file(folder, bytes, FileOptions.of(Format.CSV)));
    }
}
