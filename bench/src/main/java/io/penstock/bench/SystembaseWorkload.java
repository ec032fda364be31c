package io.penstock.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;

/**
 * The documents of Azure's ingestion test {@code systembase}: 18 fields of a system event, about 430 bytes as one line
 * of JSON. The same seed gives the same bytes for ever, and a longer file begins with the shorter one. Not thread-safe.
 */
final class SystembaseWorkload {
    /** Explicit, so that neither side of a comparison pays for dynamic mapping. */
    static final String MAPPING = """
            {
              "dynamic": "strict",
              "properties": {
                "@timestamp": {"type": "date"},
                "name": {"type": "keyword"},
                "message": {"type": "text"},
                "severityCode": {"type": "integer"},
                "severity": {"type": "keyword"},
                "hostname": {"type": "keyword"},
                "hostip": {"type": "ip"},
                "pid": {"type": "integer"},
                "tid": {"type": "integer"},
                "appId": {"type": "keyword"},
                "appName": {"type": "keyword"},
                "appVersion": {"type": "keyword"},
                "type": {"type": "integer"},
                "subtype": {"type": "integer"},
                "correlationId": {"type": "keyword"},
                "os": {"type": "keyword"},
                "osVersion": {"type": "keyword"},
                "parameters": {"properties": {"load": {"type": "float"}, "retried": {"type": "boolean"}}}
              }
            }
            """;

    private static final byte[][] NAMES =
            terms("checkout.payment", "checkout.basket", "catalogue.search", "account.signin", "account.profile");
    private static final byte[][] MESSAGES = terms(
            "Incoming request message", "Outgoing response message", "Connection was closed", "Cache entry expired");
    private static final byte[][] SEVERITIES = terms("debug", "info", "warning", "error", "critical");
    private static final byte[][] SYSTEMS = terms("Linux", "Windows", "FreeBSD");
    private static final byte[][] SYSTEM_VERSIONS = terms("4.1.1", "6.3.9600", "10.2.0");
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[][] KEYS = keys();
    private static final long DAY_MILLIS = 86_400_000;
    private static final int DOCUMENT_BYTES_MAX = 1024;

    private final byte[] buffer = new byte[1 << 20];
    private int length;
    private long state;
    private long day = LocalDate.of(2013, 12, 11).toEpochDay();
    private byte[] date = date(day);
    private long millisOfDay;

    SystembaseWorkload(long seed) {
        state = seed;
    }

    /** Writes so many documents, one on each line. */
    void write(OutputStream to, long documents) throws IOException {
        for (long i = 0; i < documents; i++) {
            if (buffer.length - length < DOCUMENT_BYTES_MAX) {
                flush(to);
            }
            document();
        }
        flush(to);
    }

    private void flush(OutputStream to) throws IOException {
        to.write(buffer, 0, length);
        length = 0;
    }

    private void document() {
        int key = 0;
        put(KEYS[key++]);
        timestamp();
        put(KEYS[key++]);
        put(NAMES[below(NAMES.length)]);
        put(KEYS[key++]);
        put(MESSAGES[below(MESSAGES.length)]);
        put(KEYS[key++]);
        int severity = below(SEVERITIES.length);
        number(severity);
        put(KEYS[key++]);
        put(SEVERITIES[severity]);
        put(KEYS[key++]);
        int host = below(500);
        number(host);
        put(KEYS[key++]);
        number(host / 250);
        put((byte) '.');
        number(host % 250 + 1);
        put(KEYS[key++]);
        number(below(32_768));
        put(KEYS[key++]);
        number(below(65_536));
        put(KEYS[key++]);
        number(10_000_000 + 7919 * below(40));
        put(KEYS[key++]);
        number(below(40));
        put(KEYS[key++]);
        number(below(10_000));
        put(KEYS[key++]);
        number(below(10));
        put(KEYS[key++]);
        number(below(10));
        put(KEYS[key++]);
        guid(next());
        put(KEYS[key++]);
        int system = below(SYSTEMS.length);
        put(SYSTEMS[system]);
        put(KEYS[key++]);
        put(SYSTEM_VERSIONS[system]);
        put(KEYS[key++]);
        number(below(100));
        put((byte) '.');
        number(10 + below(90));
        put(KEYS[key++]);
        put(below(20) == 0 ? KEYS[key + 1] : KEYS[key]);
    }

    /** What stands between the values, in order. */
    private static byte[][] keys() {
        return terms(
                "{\"@timestamp\":\"",
                "\",\"name\":\"",
                "\",\"message\":\"",
                "\",\"severityCode\":",
                ",\"severity\":\"",
                "\",\"hostname\":\"sixshot-",
                "\",\"hostip\":\"10.0.",
                "\",\"pid\":",
                ",\"tid\":",
                ",\"appId\":\"",
                "\",\"appName\":\"mytestapp-",
                "\",\"appVersion\":\"0.1.0.",
                "\",\"type\":",
                ",\"subtype\":",
                ",\"correlationId\":\"",
                "\",\"os\":\"",
                "\",\"osVersion\":\"",
                "\",\"parameters\":{\"load\":",
                ",\"retried\":",
                "false}}\n",
                "true}}\n");
    }

    private void timestamp() {
        millisOfDay += below(20);
        if (millisOfDay >= DAY_MILLIS) {
            millisOfDay -= DAY_MILLIS;
            day++;
            date = date(day);
        }
        int millis = (int) millisOfDay;
        put(date);
        digits(millis / 3_600_000, 2);
        put((byte) ':');
        digits(millis / 60_000 % 60, 2);
        put((byte) ':');
        digits(millis / 1000 % 60, 2);
        put((byte) '.');
        digits(millis % 1000, 3);
        put((byte) 'Z');
    }

    private static byte[] date(long epochDay) {
        return (LocalDate.ofEpochDay(epochDay) + "T").getBytes(StandardCharsets.US_ASCII);
    }

    private void guid(long bits) {
        for (int i = 0; i < 32; i++) {
            if (i == 8 || i == 12 || i == 16 || i == 20) {
                put((byte) '-');
            }
            put(HEX[(int) (bits >>> (i % 16 * 4)) & 15]);
        }
    }

    private void number(int value) {
        int width = 1;
        for (int rest = value; rest >= 10; rest /= 10) {
            width++;
        }
        digits(value, width);
    }

    private void digits(int value, int width) {
        int rest = value;
        for (int i = length + width - 1; i >= length; i--) {
            buffer[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += width;
    }

    private void put(byte one) {
        buffer[length++] = one;
    }

    private void put(byte[] bytes) {
        System.arraycopy(bytes, 0, buffer, length, bytes.length);
        length += bytes.length;
    }

    private int below(int bound) {
        return (int) (((next() >>> 32) * bound) >>> 32);
    }

    /** SplitMix64 (Steele, Lea, Flood 2014), written out so that no JDK can change the bytes. */
    private long next() {
        state += 0x9E3779B97F4A7C15L;
        long mixed = (state ^ state >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    private static byte[][] terms(String... texts) {
        byte[][] bytes = new byte[texts.length][];
        for (int i = 0; i < texts.length; i++) {
            bytes[i] = texts[i].getBytes(StandardCharsets.US_ASCII);
        }
        return bytes;
    }
}
