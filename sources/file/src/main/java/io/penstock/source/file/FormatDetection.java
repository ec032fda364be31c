package io.penstock.source.file;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.penstock.core.document.Operation;
import io.penstock.source.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/** Tells a file's format by its first line that is not blank and, for tables only, by its name. */
final class FormatDetection {
    private FormatDetection() {}

    /**
     * The format of a file that begins with {@code preview}, or nothing if it cannot be told; any will do for an empty
     * one.
     */
    static Optional<Format> detect(String name, byte[] preview) {
        String line = firstLine(preview);
        if (line.isEmpty()) {
            return Optional.of(Format.NDJSON);
        }
        if (line.startsWith("[")) {
            return Optional.of(Format.JSON);
        }
        if (line.startsWith("{")) {
            return Optional.of(isActionLine(line) ? Format.BULK : Format.NDJSON);
        }
        if (ApacheLogReader.matches(line)) {
            return Optional.of(Format.APACHE);
        }
        return table(name.toLowerCase(Locale.ROOT), line);
    }

    private static Optional<Format> table(String name, String line) {
        String plain = name.replaceFirst("\\.(gz|gzip|zst|zstd|bz2|xz)$", "");
        if (plain.endsWith(".csv")) {
            return Optional.of(Format.CSV);
        }
        if (plain.endsWith(".tsv")) {
            return Optional.of(Format.TSV);
        }
        if (line.contains("\t")) {
            return Optional.of(Format.TSV);
        }
        return line.contains(",") ? Optional.of(Format.CSV) : Optional.empty();
    }

    private static String firstLine(byte[] preview) {
        String decoded = new String(preview, StandardCharsets.UTF_8);
        String text = (decoded.startsWith("\ufeff") ? decoded.substring(1) : decoded).stripLeading();
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }

    /** Whether the line is an object with exactly one member, an action whose value is an object. */
    private static boolean isActionLine(String line) {
        try (JsonParser parser = Json.FACTORY.createParser(line)) {
            parser.nextToken();
            if (parser.nextToken() != JsonToken.FIELD_NAME
                    || Operation.parse(parser.currentName()).isEmpty()
                    || parser.nextToken() != JsonToken.START_OBJECT) {
                return false;
            }
            parser.skipChildren();
            return parser.nextToken() == JsonToken.END_OBJECT;
        } catch (IOException e) {
            return false;
        }
    }
}
