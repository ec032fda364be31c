package io.penstock.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes as people write it: {@code 5mb}, {@code 5MiB}, {@code 512k}, {@code 1000}. As in OpenSearch, every
 * unit is a power of 1024.
 */
record ByteSize(long bytes) {
    private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([kmgt]?)(?:i?b)?");

    static ByteSize parse(String text) {
        Matcher matcher = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is no size: write for example 5mb or 512KiB");
        }
        int power = " kmgt".indexOf(matcher.group(2).isEmpty() ? " " : matcher.group(2));
        double bytes = Double.parseDouble(matcher.group(1)) * (1L << (10 * power));
        if (bytes < 1) {
            throw new IllegalArgumentException("'" + text + "' is less than one byte");
        }
        return new ByteSize((long) bytes);
    }

    /** For people, in decimal megabytes as a network counts them. */
    static String text(long bytes) {
        return bytes >= 1_000_000_000L
                ? "%.1f GB".formatted(bytes / 1e9)
                : bytes >= 1_000_000 ? "%.1f MB".formatted(bytes / 1e6) : "%.1f kB".formatted(bytes / 1e3);
    }
}
