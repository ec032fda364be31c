package io.penstock.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.bench.BenchException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

final class WorkloadsTest {
    static final Set<String> NAMES = Workloads.NAMES;

    private static final ObjectMapper JSON = new ObjectMapper();

    @ParameterizedTest
    @FieldSource("NAMES")
    void givesTheSameBytesForTheSameSeedAndOthersForAnother(String name) throws IOException {
        assertThat(written(name, 7, 500)).isEqualTo(written(name, 7, 500));
        assertThat(written(name, 8, 500)).isNotEqualTo(written(name, 7, 500));
        assertThat(written(name, 7, 600)).startsWith(written(name, 7, 500));
    }

    @ParameterizedTest
    @CsvSource({
        "systembase, 420, 470",
        "systembase-big, 24400, 24600",
        "apache, 300, 420",
        "nyc-taxis, 600, 680",
        "catalog, 100, 220"
    })
    void documentsHaveTheirSize(String name, int least, int most) throws IOException {
        assertThat(written(name, 7, 1_000).length / 1_000).isBetween(least, most);
    }

    @ParameterizedTest
    @FieldSource("NAMES")
    void everyFieldIsInTheMapping(String name) throws IOException {
        Set<String> mapped =
                names(JSON.readTree(Workloads.named(name, 7).mapping()).path("properties"));
        boolean actions = Workloads.named(name, 7).hasActions();
        Set<String> seen = new HashSet<>();
        List<JsonNode> lines = lines(written(name, 7, 2_000));
        for (int i = 0; i < lines.size(); i++) {
            if (!actions) {
                seen.addAll(names(lines.get(i)));
            } else if (!lines.get(i).has("delete")) {
                JsonNode body = lines.get(++i);
                seen.addAll(names(body.has("doc") ? body.path("doc") : body));
            }
        }
        assertThat(seen).isEqualTo(mapped);
    }

    @Test
    void systembaseHasTheEighteenFieldsOfAzure() throws IOException {
        assertThat(names(lines(written("systembase", 7, 1)).getFirst())).hasSize(18);
    }

    @Test
    void aCatalogueChangesAndLosesWhatItHas() throws IOException {
        String text = new String(written("catalog", 7, 10_000), StandardCharsets.UTF_8);

        assertThat(text.lines().filter(line -> line.startsWith("{\"delete\"")).count())
                .isBetween(800L, 1_200L);
        assertThat(text.lines().filter(line -> line.startsWith("{\"update\"")).count())
                .isBetween(1_700L, 2_300L);
    }

    @Test
    void aFileBeginsAgainWhereItEnds(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("mine.ndjson"), "{\"a\":1}\n\n{\"a\":2}");

        assertThat(new String(written(file.toString(), 0, 3), StandardCharsets.UTF_8))
                .isEqualTo("{\"a\":1}\n{\"a\":2}\n{\"a\":1}\n");
    }

    /** The sample of Apache's log that comes with Penstock; its line 8,899 is cut short. */
    @Test
    void aFileMayBeARealAccessLogThatIsCompressed(@TempDir Path folder) throws IOException {
        String log = "../dev/samples/apache_logs.gz";
        List<JsonNode> lines = lines(written(log, 0, 10_000));

        assertThat(lines.getFirst().path("clientip").asText()).isEqualTo("83.149.9.216");
        assertThat(lines.get(9_999)).as("from the beginning again").isEqualTo(lines.getFirst());
        Path file = Workloads.file(folder, log, 0, 20, Long.MAX_VALUE);
        assertThat(Files.readAllLines(file)).hasSize(20);
        assertThat(Workloads.file(folder, log, 0, 20, Long.MAX_VALUE))
                .as("written once")
                .isEqualTo(file);
    }

    @Test
    void ofABulkFileWholeDocumentsAreTaken(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("mine.bulk"), """
                {"index":{"_id":"1"}}
                {"a":1}
                {"update":{"_id":"1"}}
                {"doc":{"a":2}}
                {"delete":{"_id":"1"}}
                {"create":{"_id":"2"}}
                {"a":3}
                """);

        assertThat(new String(written(file.toString(), 0, 3), StandardCharsets.UTF_8))
                .isEqualTo("{\"a\":1}\n{\"a\":3}\n{\"a\":1}\n");
    }

    @Test
    void aFileThatIsNotThereIsSaidSo(@TempDir Path folder) {
        assertThatExceptionOfType(BenchException.class)
                .isThrownBy(() ->
                        Workloads.file(folder, folder.resolve("none.ndjson").toString(), 0, 1, Long.MAX_VALUE))
                .withMessageContaining("none.ndjson cannot be read");
    }

    @Test
    void aFileForATimedLoadEndsAtItsBytes(@TempDir Path folder) throws IOException {
        Path file = Workloads.file(folder, "systembase-big", 1, 1_000, 3 << 20);

        assertThat(Files.size(file)).isBetween(3L << 20, 6L << 20);
    }

    @Test
    void saysWhichWorkloadsThereAre() {
        assertThatExceptionOfType(BenchException.class)
                .isThrownBy(() -> Workloads.named("wikipedia", 0))
                .withMessageContaining("there is no workload 'wikipedia'")
                .withMessageContaining("nyc-taxis");
    }

    private static Set<String> names(JsonNode object) {
        Set<String> names = new HashSet<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static List<JsonNode> lines(byte[] bytes) throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : new String(bytes, StandardCharsets.UTF_8).split("\n")) {
            lines.add(JSON.readTree(line));
        }
        return lines;
    }

    private static byte[] written(String name, long seed, long documents) throws IOException {
        var bytes = new ByteArrayOutputStream();
        Workloads.write(Workloads.named(name, seed), documents, bytes);
        return bytes.toByteArray();
    }
}
