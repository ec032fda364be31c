package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SystembaseWorkloadTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void givesTheSameBytesForTheSameSeed() throws IOException {
        assertThat(written(7, 5000)).isEqualTo(written(7, 5000));
        assertThat(written(8, 5000)).isNotEqualTo(written(7, 5000));
    }

    @Test
    void aLongerFileBeginsWithTheShorterOne() throws IOException {
        byte[] few = written(7, 3000);

        assertThat(written(7, 6000)).startsWith(few);
    }

    @Test
    void documentsHaveAbout430BytesAndTheEighteenFieldsOfTheMapping() throws IOException {
        byte[] bytes = written(7, 10_000);
        List<String> mapped = names(JSON.readTree(SystembaseWorkload.MAPPING).path("properties"));

        assertThat(bytes.length / 10_000).isBetween(420, 440);
        assertThat(mapped).hasSize(18);
        for (String line : new String(bytes, java.nio.charset.StandardCharsets.US_ASCII).split("\n")) {
            assertThat(names(JSON.readTree(line))).isEqualTo(mapped);
        }
    }

    private static List<String> names(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static byte[] written(long seed, long documents) throws IOException {
        var bytes = new ByteArrayOutputStream();
        new SystembaseWorkload(seed).write(bytes, documents);
        return bytes.toByteArray();
    }
}
