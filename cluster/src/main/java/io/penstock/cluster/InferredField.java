package io.penstock.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.DateTimeException;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** What a sample shows of one field, and the type that follows from it. Not thread-safe. */
final class InferredField {
    /** Formats of dates by the name the server knows them by, each tried on every value. */
    private static final Map<String, DateTimeFormatter> DATES = Map.of(
            "strict_date_optional_time",
            new DateTimeFormatterBuilder()
                    .appendPattern("uuuu-MM-dd['T'HH:mm[:ss]]")
                    .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
                    .appendPattern("[XXX][XX][X]")
                    .toFormatter(Locale.ROOT),
            "yyyy-MM-dd HH:mm:ss",
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT),
            "yyyy/MM/dd HH:mm:ss",
            DateTimeFormatter.ofPattern("uuuu/MM/dd HH:mm:ss", Locale.ROOT),
            "dd/MMM/yyyy:HH:mm:ss Z",
            DateTimeFormatter.ofPattern("dd/MMM/uuuu:HH:mm:ss Z", Locale.ENGLISH));

    private static final Pattern IPV4 = Pattern.compile("((25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.(?!$)|$)){4}");
    private static final Pattern HEXADECIMAL_AND_COLONS =
            Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

    /** Half of what an {@code integer} holds: later documents may have larger numbers than the sample. */
    private static final BigDecimal INTEGER_SAFE = BigDecimal.valueOf(1 << 30);

    private static final BigDecimal LONG_MAX = BigDecimal.valueOf(Long.MAX_VALUE);

    /** From here on a text is prose, which people search by its words. */
    private static final double PROSE_WORDS = 4;

    private static final int KEYWORD_CHARACTERS_MAX = 256;

    private final String path;
    private final TreeMap<String, InferredField> children = new TreeMap<>();
    private final List<String> dateFormats =
            new ArrayList<>(DATES.keySet().stream().sorted().toList());
    private int objects;
    private int booleans;
    private int integers;
    private int fractions;
    private int texts;
    private boolean fitsFloat = true;
    private boolean allIps = true;
    private boolean allBooleanWords = true;
    private BigDecimal least = BigDecimal.ZERO;
    private BigDecimal most = BigDecimal.ZERO;
    private int longest;
    private long words;

    InferredField(String path) {
        this.path = path;
    }

    String path() {
        return path;
    }

    String name() {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    Collection<InferredField> children() {
        return children.values();
    }

    boolean isEmpty() {
        return objects + booleans + integers + fractions + texts == 0;
    }

    /** Where both objects and plain values are found, the more frequent decides; the others do not fit. */
    boolean isObject() {
        return objects > booleans + integers + fractions + texts;
    }

    /** Looks at one value; every element of an array is a value of its own, as in the index. */
    void add(JsonNode value) {
        switch (value.getNodeType()) {
            case OBJECT -> {
                objects++;
                value.properties().forEach(member -> child(member.getKey()).add(member.getValue()));
            }
            case ARRAY -> value.forEach(this::add);
            case BOOLEAN -> booleans++;
            case NUMBER -> addNumber(value);
            case STRING -> addText(value.asText());
            default -> {}
        }
    }

    /** A dot in a name means a member of a member, as in the index. */
    private InferredField child(String name) {
        InferredField field = this;
        for (String part : name.split("\\.", -1)) {
            InferredField parent = field;
            field = parent.children.computeIfAbsent(
                    part, key -> new InferredField(parent.path.isEmpty() ? key : parent.path + "." + key));
            if (parent != this) {
                parent.objects++;
            }
        }
        return field;
    }

    private void addNumber(JsonNode value) {
        BigDecimal number = value.decimalValue();
        if (value.isIntegralNumber()) {
            integers++;
        } else {
            fractions++;
            fitsFloat &= new BigDecimal(Float.toString(number.floatValue())).compareTo(number) == 0;
        }
        boolean first = integers + fractions == 1;
        least = first ? number : least.min(number);
        most = first ? number : most.max(number);
    }

    private void addText(String text) {
        texts++;
        dateFormats.removeIf(format -> !isDate(text, format));
        allIps &= IPV4.matcher(text).matches() || isIpv6(text);
        allBooleanWords &= text.equals("true") || text.equals("false");
        longest = Math.max(longest, text.length());
        words += text.isBlank() ? 0 : text.strip().split("\\s+", 100).length;
    }

    /** A text of these characters is parsed as an address and never looked up as a name ({@code InetAddress}). */
    private static boolean isIpv6(String text) {
        if (!HEXADECIMAL_AND_COLONS.matcher(text).matches()) {
            return false;
        }
        try {
            InetAddress.getByName(text);
            return true;
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private static boolean isDate(String text, String format) {
        try {
            Objects.requireNonNull(DATES.get(format)).parse(text);
            return true;
        } catch (DateTimeException e) {
            return false;
        }
    }

    /** Writes the type into the field's mapping, and says why. */
    String decide(ObjectNode mapping) {
        if (texts > 0 && booleans + integers + fractions == 0) {
            return decideText(mapping);
        }
        if (texts > 0) {
            mapping.put("type", "keyword").put("ignore_above", 1024);
            return "keyword: texts and other values";
        }
        if (booleans > 0 && integers + fractions == 0) {
            mapping.put("type", "boolean");
            return "boolean";
        }
        if (booleans > 0) {
            mapping.put("type", "keyword");
            return "keyword: booleans and numbers";
        }
        return decideNumber(mapping);
    }

    private String decideNumber(ObjectNode mapping) {
        String range = "%s to %s".formatted(least.toPlainString(), most.toPlainString());
        if (fractions > 0) {
            mapping.put("type", fitsFloat ? "float" : "double");
            return fitsFloat
                    ? "float: numbers with fractions, " + range
                    : "double: fractions with more digits than a float holds, " + range;
        }
        BigDecimal largest = least.abs().max(most.abs());
        if (largest.compareTo(LONG_MAX) > 0) {
            mapping.put("type", "double");
            return "double: integers beyond 64 bits, " + range;
        }
        boolean small = largest.compareTo(INTEGER_SAFE) <= 0;
        mapping.put("type", small ? "integer" : "long");
        return (small ? "integer: " : "long: ") + range;
    }

    private String decideText(ObjectNode mapping) {
        if (!dateFormats.isEmpty()) {
            String format = dateFormats.get(dateFormats.size() - 1);
            mapping.put("type", "date");
            if (!format.equals("strict_date_optional_time")) {
                mapping.put("format", format);
            }
            return "date: " + format;
        }
        if (allIps) {
            mapping.put("type", "ip");
            return "ip: every value is an address";
        }
        if (allBooleanWords) {
            mapping.put("type", "boolean");
            return "boolean: every value is \"true\" or \"false\"";
        }
        double average = (double) words / texts;
        if (average >= PROSE_WORDS || longest > KEYWORD_CHARACTERS_MAX) {
            mapping.put("type", "text");
            return "text: %.1f words on average, %,d characters at most".formatted(average, longest);
        }
        mapping.put("type", "keyword").put("ignore_above", 1024);
        return "keyword: %.1f words on average, %,d characters at most".formatted(average, longest);
    }
}
