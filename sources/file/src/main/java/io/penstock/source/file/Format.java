package io.penstock.source.file;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** How a file's bytes are to be understood. */
public enum Format {
    /** Decided for each file by its first line; see {@link FormatDetection}. */
    AUTO,
    /** One JSON object per line. */
    NDJSON,
    /** The body of a bulk request: action lines and body lines. */
    BULK,
    /** One JSON array of objects. */
    JSON,
    /** Comma-separated values (RFC 4180) behind a header. */
    CSV,
    /** The same with tabs. */
    TSV,
    /** Common and combined log format of the Apache web server, also mixed. */
    APACHE;

    /** The word for this format on a command line. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The format with this word, if there is one. */
    public static Optional<Format> parse(String word) {
        return Arrays.stream(values())
                .filter(format -> format.word().equals(word))
                .findFirst();
    }

    /** All words, for messages: {@code auto|ndjson|...}. */
    public static String words() {
        return Arrays.stream(values()).map(Format::word).collect(Collectors.joining("|"));
    }
}
