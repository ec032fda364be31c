package io.penstock.core.time;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as people and servers write them: {@code 500ms}, {@code 30s}, {@code 10m}, {@code 2h}, {@code 1d},
 * {@code 0}. Stateless.
 */
public final class Durations {
    private static final Pattern FORM = Pattern.compile("(\\d+)\\s*(ms|s|m|h|d)");

    private Durations() {}

    /** @throws IllegalArgumentException if it is none; the message is for people */
    public static Duration parse(String text) {
        if (text.strip().equals("0")) {
            return Duration.ZERO;
        }
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is no duration: write for example 30s or 10m");
        }
        long number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }

    /** Minutes and seconds, or hours and minutes. */
    public static String text(Duration duration) {
        return duration.toHours() > 0
                ? "%dh%02dm".formatted(duration.toHours(), duration.toMinutesPart())
                : "%d:%02d".formatted(duration.toMinutes(), duration.toSecondsPart());
    }
}
