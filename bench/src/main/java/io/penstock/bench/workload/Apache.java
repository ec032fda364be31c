package io.penstock.bench.workload;

import java.time.LocalDate;

/**
 * Requests as a web server logs them, in the fields that {@code penstock load} makes of a combined log line; about 380
 * bytes each. A few pages and visitors make up most of it, as they do in the real sample.
 */
final class Apache implements Workload {
    private static final byte[][] METHODS = Bytes.terms("GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "POST");
    private static final byte[][] FOLDERS = Bytes.terms(
            "/presentations/logstash-monitorama/images/",
            "/projects/xdotool/",
            "/blog/geekery/",
            "/files/logstash/",
            "/articles/dynamic-dns-with-dhcp/",
            "/images/",
            "/style2.css?",
            "/robots.txt?");
    private static final byte[][] STATUSES =
            Bytes.terms("200", "200", "200", "200", "200", "200", "200", "304", "404", "301");
    private static final byte[][] REFERERS = Bytes.terms(
            "-", "http://www.example.com/", "http://search.example.org/search?q=logs", "http://example.net/");
    private static final byte[][] AGENTS = Bytes.terms(
            "Mozilla/5.0 (Windows NT 6.1; WOW64; rv:27.0) Gecko/20100101 Firefox/27.0",
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_9_1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/32.0 Safari/537.36",
            "Mozilla/5.0 (compatible; bot/2.1; +http://www.example.com/bot.html)",
            "Tiny Tiny RSS/1.11 (http://tt-rss.example.org/)");
    private static final byte[][] KEYS = Bytes.terms(
            "{\"@timestamp\":\"",
            "\",\"clientip\":\"",
            "\",\"ident\":\"-\",\"auth\":\"-\",\"method\":\"",
            "\",\"path\":\"",
            "\",\"protocol\":\"HTTP/1.1\",\"status\":",
            ",\"bytes\":",
            ",\"referer\":\"",
            "\",\"agent\":\"",
            "\"}\n");

    private final Seeded random;
    private final Timeline time;

    Apache(long seed) {
        this.random = new Seeded(seed);
        this.time = new Timeline(random, LocalDate.of(2015, 5, 17), 400);
    }

    @Override
    public String mapping() {
        return """
                {"properties":{"@timestamp":{"type":"date"},"clientip":{"type":"ip"},"ident":{"type":"keyword"},"auth":{"type":"keyword"},
                "method":{"type":"keyword"},"path":{"type":"text","fields":{"keyword":{"type":"keyword"}}},"protocol":{"type":"keyword"},
                "status":{"type":"integer"},"bytes":{"type":"long"},"referer":{"type":"keyword"},"agent":{"type":"text"}}}""";
    }

    @Override
    public String query() {
        return """
                {"bool":{"must":{"match":{"agent":"firefox"}},"filter":[{"term":{"status":404}}]}}""";
    }

    @Override
    public void next(Bytes to) {
        int key = 0;
        to.put(KEYS[key++]);
        time.next(to);
        to.put(KEYS[key++]);
        int visitor = random.skewed(60_000);
        to.number(1 + visitor % 223);
        to.put((byte) '.');
        to.number(visitor / 256);
        to.put((byte) '.');
        to.number(visitor % 251);
        to.put((byte) '.');
        to.number(visitor * 7 % 254);
        to.put(KEYS[key++]);
        to.put(random.one(METHODS));
        to.put(KEYS[key++]);
        to.put(random.one(FOLDERS));
        to.number(random.skewed(5_000));
        to.put(KEYS[key++]);
        to.put(random.one(STATUSES));
        to.put(KEYS[key++]);
        to.number(random.skewed(300_000));
        to.put(KEYS[key++]);
        to.put(random.one(REFERERS));
        to.put(KEYS[key++]);
        to.put(random.one(AGENTS));
        to.put(KEYS[key]);
    }
}
