package io.penstock.bench.workload;

import java.time.LocalDate;
import java.util.Arrays;

/**
 * The documents of Azure's ingestion test {@code systembase}: 18 fields of a system event, about 430 bytes as one line
 * of JSON; or its big variant with two more fields of 12,000 characters each.
 */
final class Systembase implements Workload {
    private static final String FIELDS = """
            "@timestamp":{"type":"date"},"name":{"type":"keyword"},"message":{"type":"text"},"severityCode":{"type":"integer"},
            "severity":{"type":"keyword"},"hostname":{"type":"keyword"},"hostip":{"type":"ip"},"pid":{"type":"integer"},
            "tid":{"type":"integer"},"appId":{"type":"keyword"},"appName":{"type":"keyword"},"appVersion":{"type":"keyword"},
            "type":{"type":"integer"},"subtype":{"type":"integer"},"correlationId":{"type":"keyword"},"os":{"type":"keyword"},
            "osVersion":{"type":"keyword"},"parameters":{"type":"text"}""";

    private static final int BIG_CHARACTERS = 12_000;
    private static final byte[][] NAMES =
            Bytes.terms("checkout.payment", "checkout.basket", "catalogue.search", "account.signin", "account.profile");
    private static final byte[][] MESSAGES = Bytes.terms(
            "Incoming request message", "Outgoing response message", "Connection was closed", "Cache entry expired");
    private static final byte[][] SEVERITIES = Bytes.terms("debug", "info", "warning", "error", "critical");
    private static final byte[][] SYSTEMS = Bytes.terms("Linux", "Windows", "FreeBSD");
    private static final byte[][] SYSTEM_VERSIONS = Bytes.terms("4.1.1", "6.3.9600", "10.2.0");
    private static final byte[][] APPLICATIONS = Bytes.terms(
            "4d24bd62-20bf-4d74-b6dc-31313ababd82",
            "5d24bd62-20bf-4d74-b6dc-31313ababd82",
            "6d24bd62-20bf-4d74-b6dc-31313ababd82");
    private static final byte[][] KEYS = Bytes.terms(
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
            "\",\"parameters\":\"{load:");
    private static final byte[][] ENDS = Bytes.terms(",retried:false}\"", ",retried:true}\"");

    private final boolean big;
    private final Seeded random;
    private final Timeline time;
    private final byte[] end;

    Systembase(long seed, boolean big) {
        this.big = big;
        this.random = new Seeded(seed);
        this.time = new Timeline(random, LocalDate.of(2013, 12, 11), 20);
        this.end = big ? bigEnd() : Bytes.ascii("}\n");
    }

    private static byte[] bigEnd() {
        char[] letters = new char[BIG_CHARACTERS];
        Arrays.fill(letters, 'x');
        String text = new String(letters);
        return Bytes.ascii(",\"data1\":\"" + text + "\",\"data2\":\"" + text + "\"}\n");
    }

    @Override
    public String mapping() {
        String more = big ? ",\"data1\":{\"type\":\"text\"},\"data2\":{\"type\":\"text\"}" : "";
        return "{\"dynamic\":\"strict\",\"properties\":{" + FIELDS + more + "}}";
    }

    @Override
    public String query() {
        return """
                {"bool":{"must":{"match":{"message":"connection"}},"filter":[{"term":{"severity":"error"}},{"range":{"pid":{"gte":1000}}}]}}""";
    }

    @Override
    public void next(Bytes to) {
        int key = 0;
        to.put(KEYS[key++]);
        time.next(to);
        to.put(KEYS[key++]);
        to.put(random.one(NAMES));
        to.put(KEYS[key++]);
        to.put(random.one(MESSAGES));
        to.put(KEYS[key++]);
        int severity = random.below(SEVERITIES.length);
        to.number(severity);
        to.put(KEYS[key++]);
        to.put(SEVERITIES[severity]);
        to.put(KEYS[key++]);
        int host = random.below(500);
        to.number(host);
        to.put(KEYS[key++]);
        to.number(host / 250);
        to.put((byte) '.');
        to.number(host % 250 + 1);
        to.put(KEYS[key++]);
        to.number(random.below(32_768));
        to.put(KEYS[key++]);
        to.number(random.below(65_536));
        to.put(KEYS[key++]);
        to.put(random.one(APPLICATIONS));
        to.put(KEYS[key++]);
        to.number(random.below(40));
        to.put(KEYS[key++]);
        to.number(random.below(10_000));
        to.put(KEYS[key++]);
        to.number(random.below(10));
        to.put(KEYS[key++]);
        to.number(random.below(10));
        to.put(KEYS[key++]);
        random.guid(to);
        to.put(KEYS[key++]);
        int system = random.below(SYSTEMS.length);
        to.put(SYSTEMS[system]);
        to.put(KEYS[key++]);
        to.put(SYSTEM_VERSIONS[system]);
        to.put(KEYS[key]);
        to.hundredths(random.below(10_000));
        to.put(ENDS[random.below(20) == 0 ? 1 : 0]);
        to.put(end);
    }
}
