package io.penstock.testkit.seeds;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;

/**
 * Documents that say who they are: document {@code n} holds its own number, a text drawn from the seed, and the text's
 * CRC. Any copy of one, wherever it turns up, can be judged without knowing where it came from.
 *
 * @param textMax longest text, in characters
 */
public record NumberedDocuments(long seed, int count, int textMax) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int TEXT_MIN = 20;

    /** About 250 bytes each. */
    public static NumberedDocuments of(int count) {
        return new NumberedDocuments(20_261_121L + count, count, 300);
    }

    /** One document, without a line end. */
    public String line(int number) {
        String text = new Seeds(seed * 1_000_003 + number).asciiWord(TEXT_MIN, textMax);
        return "{\"n\":%d,\"key\":\"k%d\",\"crc\":%d,\"text\":\"%s\"}".formatted(number, number, crc(text), text);
    }

    /** Writes them as NDJSON; document {@code n} is on line {@code n + 1}. */
    public Path write(Path file) {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (int number = 0; number < count; number++) {
                out.write(line(number).getBytes(UTF_8));
                out.write('\n');
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether a source that an index holds is exactly that of its number. */
    public boolean isIntact(JsonNode source) {
        int number = source.path("n").asInt(-1);
        return number >= 0
                && number < count
                && crc(source.path("text").asText()) == source.path("crc").asLong()
                && parsed(line(number)).equals(source);
    }

    /** Compared as JSON: an ingest pipeline changes the order of fields. */
    private static JsonNode parsed(String line) {
        try {
            return JSON.readTree(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long crc(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(UTF_8));
        return crc.getValue();
    }
}
