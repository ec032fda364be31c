package io.penstock.endtoend;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.core.document.Operation;
import io.penstock.job.ExitCode;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.source.file.DeadLetterSource;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Documents with something wrong: exactly those are dead letters, each for its own reason, and all others indexed. */
@RealNode
class BadDocumentsIT {
    private static final String PARSE = "parse";
    private static final String ENCODING = "encoding";
    private static final String MAPPER = "mapper_parsing_exception";
    private static final String STRICT = "strict_dynamic_mapping_exception";
    private static final String ILLEGAL = "illegal_argument_exception";

    private static final String MAPPINGS = """
            {"properties":{"n":{"type":"long"},"key":{"type":"keyword"},"crc":{"type":"long"},
             "text":{"type":"text"},"when":{"type":"date"},"small":{"type":"byte"},
             "tag":{"type":"keyword"},"exact":{"type":"object","enabled":false},
             "closed":{"type":"object","dynamic":"strict","properties":{"a":{"type":"long"}}}}}
            """;

    @TempDir
    Path folder;

    private Scene scene;

    @BeforeEach
    void open(RealCluster cluster) {
        scene = new Scene(cluster, folder, "bad");
    }

    @AfterEach
    void close() {
        scene.close();
    }

    /** What is planted on a line: its bytes as ISO 8859-1, and the type of its dead letter. */
    private record Planted(String line, String type) {}

    /** Rows 54 to 62, each fault between good neighbours. */
    private static Map<Integer, Planted> faults() {
        Map<Integer, Planted> faults = new LinkedHashMap<>();
        int line = 10;
        for (Planted planted : new Planted[] {
            // Row 54: no JSON, cut short, array, scalars.
            new Planted("this is no JSON", PARSE),
            new Planted("{\"n\":1,\"text\":\"cut sho", MAPPER),
            new Planted("{\"n\":1,\"text\":", MAPPER),
            new Planted("[{\"n\":1}]", PARSE),
            new Planted("17", PARSE),
            new Planted("null", PARSE),
            new Planted("\"text\"", PARSE),
            new Planted("{\"n\":1} {\"n\":2}", MAPPER),
            // Row 56: bytes that are not UTF-8.
            new Planted("{\"text\":\"\u00ff\u00fe\"}", ENCODING),
            new Planted("{\"text\":\"\u00c0\u00af overlong\"}", ENCODING),
            new Planted("{\"text\":\"cut \u00e2\u0082\"}", ENCODING),
            // Row 58: the same key twice.
            new Planted("{\"n\":1,\"n\":2}", MAPPER),
            // Row 59: a number that its field cannot hold.
            new Planted("{\"small\":4000}", MAPPER),
            new Planted("{\"n\":123456789012345678901234567890}", MAPPER),
            // Row 61: too deep, for the server and for any parser.
            new Planted("{\"deep\":".repeat(40) + "1" + "}".repeat(40), MAPPER),
            new Planted("{\"deep\":".repeat(2000) + "1" + "}".repeat(2000), MAPPER),
            // Row 62: wrong types, strict mapping, a term that is too long.
            new Planted("{\"n\":\"word\"}", MAPPER),
            new Planted("{\"when\":\"next Tuesday\"}", MAPPER),
            new Planted("{\"closed\":{\"b\":1}}", STRICT),
            new Planted("{\"closed\":7}", MAPPER),
            new Planted("{\"tag\":\"" + "x".repeat(40_000) + "\"}", ILLEGAL)
        }) {
            faults.put(line, planted);
            line += 37;
        }
        return faults;
    }

    @Test
    void givesUpExactlyTheBadDocumentsEachForItsReason() throws IOException {
        Map<Integer, Planted> faults = faults();
        scene.withIndex(MAPPINGS);
        Path file = fileWith(faults);
        LoadUnderTest.Outcome outcome = scene.load(file).run();
        Map<Integer, String> expected = new TreeMap<>();
        faults.forEach((number, planted) -> expected.put(number, planted.type()));
        Map<Integer, String> found = new TreeMap<>();
        outcome.letters().forEach(letter -> found.put((int) letter.position().line() - 1, letter.type()));
        assertThat(found).isEqualTo(expected);
        scene.ledger().provesAllButDead(outcome, faults.keySet());
    }

    /** Row 56: what is given up is kept byte for byte. */
    @Test
    void keepsTheBytesOfBadDocuments() throws IOException {
        Map<Integer, Planted> faults = faults();
        scene.withIndex(MAPPINGS);
        LoadUnderTest.Outcome outcome = scene.load(fileWith(faults)).run();
        for (DeadLetterSource.Letter letter : outcome.letters()) {
            JsonNode json = new com.fasterxml.jackson.databind.ObjectMapper().readTree(letter.json());
            byte[] kept = json.has("document")
                    ? json.get("document").asText().getBytes(UTF_8)
                    : json.get("documentBase64").binaryValue();
            Planted planted =
                    Objects.requireNonNull(faults.get((int) letter.position().line() - 1));
            assertThat(kept).isEqualTo(planted.line().getBytes(ISO_8859_1));
        }
    }

    /** Row 55: blank lines, CRLF, a byte order mark, no newline at the end, a lone CR inside a document. */
    @Test
    void countsOddLineEndsRightly() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF});
        for (int n = 0; n < 500; n++) {
            out.writeBytes(scene.documents()
                    .line(n)
                    .replaceFirst(",", n % 3 == 0 ? ",\r" : ",")
                    .getBytes(UTF_8));
            out.writeBytes((n == 499 ? "" : n % 2 == 0 ? "\r\n" : n % 5 == 0 ? "\n\n \t\r\n" : "\n").getBytes(UTF_8));
        }
        Path file = folder.resolve("odd.ndjson");
        Files.write(file, out.toByteArray());
        LoadUnderTest.Outcome outcome = scene.load(file).run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.OK);
        assertThat(outcome.report().counts().read()).isEqualTo(500);
        assertThat(scene.ledger().observed()).hasSize(500);
    }

    /** Rows 57 and 59: what the server takes goes to it unchanged, to the last digit. */
    @Test
    void passesUnusualButValidDocumentsThroughUnchanged() {
        scene.withIndex(MAPPINGS);
        String[] lines = {
            "{\"n\":0,\"exact\":{\"x\":-0, \"y\":1e400 }}",
            "{\"n\":1,\"exact\":123456789012345678901234567890.12345678901234567890}",
            "{\"n\":2,\"text\":\"half a pair \\ud800 and NUL \\u0000 \"}",
            "{\"n\":3,\"exact\":1.0000000000000000000000001E-7,  \"text\":\"é€𝄞\"}",
            "{\"n\":4,\"exact\":" + "9".repeat(900) + "}",
        };
        LoadUnderTest.Outcome outcome = scene.loadOf(lines).run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.OK);
        String stored = scene.cluster().text("/bad/_search?size=10&sort=n");
        assertThat(lines).allSatisfy(line -> assertThat(stored).contains(line));
    }

    /** Row 60: a line far beyond what a server takes is passed over in bounded memory. */
    @Test
    void passesOverALineThatIsFarTooLong() throws IOException {
        Path file = folder.resolve("long.ndjson");
        try (var out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (int n = 0; n < 500; n++) {
                out.write((scene.documents().line(n) + "\n").getBytes(UTF_8));
                if (n == 250) {
                    out.write("{\"text\":\"".getBytes(UTF_8));
                    byte[] block = "x".repeat(1 << 20).getBytes(UTF_8);
                    for (int i = 0; i < 200; i++) {
                        out.write(block);
                    }
                    out.write("\"}\n".getBytes(UTF_8));
                }
            }
        }
        LoadUnderTest.Outcome outcome =
                scene.load(file).maxDocumentBytes(1 << 20).run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.DEAD_LETTERS);
        assertThat(outcome.letters()).singleElement().satisfies(letter -> {
            assertThat(letter.position().line()).isEqualTo(252);
            assertThat(letter.json().length()).isLessThan(2 << 20);
        });
        assertThat(scene.ledger().observed()).hasSize(500);
    }

    /** Row 63: when a first document has made the wrong mapping, the load stops before the rest is given up. */
    @Test
    void stopsWhenNearlyAllDocumentsFailForOneReason() {
        String[] lines = IntStream.range(0, 3000)
                .mapToObj(n -> n == 0 ? "{\"when\":\"2026-11-21\"}" : "{\"when\":\"word " + n + "\"}")
                .toArray(String[]::new);
        LoadUnderTest.Outcome outcome = scene.loadOf(lines).window(16 << 10, 1).run();
        assertThat(outcome.report().exit()).isEqualTo(ExitCode.TOO_MANY_REJECTS);
        assertThat(outcome.messages()).contains("[when]").contains(MAPPER);
        assertThat(outcome.report().counts().deadLettered()).isLessThanOrEqualTo(1000);
        assertThat(outcome.report().counts().addsUp()).isTrue();
    }

    /** Row 64: an index that may have no more fields is no fault of the documents. */
    @Test
    void stopsAtTheFieldLimitWithoutDeadLettersAndResumesWhenItIsRaised() {
        scene.withIndex("{\"properties\":{\"n\":{\"type\":\"long\"}}}");
        scene.cluster().put("/bad/_settings", "{\"index.mapping.total_fields.limit\":3}");
        String[] lines = IntStream.range(0, 200)
                .mapToObj(n -> "{\"n\":%d,\"f%d\":1}".formatted(n, n / 40))
                .toArray(String[]::new);
        LoadUnderTest load = scene.loadOf(lines);
        LoadUnderTest.Outcome stopped = load.run();
        assertThat(stopped.report().exit()).isEqualTo(ExitCode.TARGET_REFUSES);
        assertThat(stopped.messages()).contains("Limit of total fields [3]");
        assertThat(stopped.letters()).isEmpty();

        scene.cluster().put("/bad/_settings", "{\"index.mapping.total_fields.limit\":100}");
        LoadUnderTest.Outcome resumed = load.run();
        assertThat(resumed.report().exit()).as(resumed.messages()).isEqualTo(ExitCode.OK);
        assertThat(scene.cluster().count("bad")).isEqualTo(200);
    }

    /** Row 65: an id that a server would refuse never reaches it, where it would spoil a whole request. */
    @Test
    void givesUpDocumentsWithImpossibleIdsBeforeTheyAreSent() {
        String[] lines =
                IntStream.range(0, 1000).mapToObj(scene.documents()::line).toArray(String[]::new);
        Map<Integer, String> bad = new TreeMap<>(Map.of(
                100, "{\"key\":\"\"}",
                200, "{\"key\":\"" + "x".repeat(513) + "\"}",
                300, "{\"key\":\"" + "é".repeat(257) + "\"}",
                400, "{\"key\":{\"a\":1}}",
                500, "{\"key\":null}",
                600, "{\"key\":true}",
                700, "{\"n\":700}",
                800, "{\"key\":1.5}"));
        bad.forEach((n, line) -> lines[n] = line);
        LoadUnderTest.Outcome outcome =
                scene.loadOf(lines).operation(Operation.INDEX, "key").run();
        scene.ledger().provesAllButDead(outcome, bad.keySet());
        assertThat(outcome.letters()).allSatisfy(letter -> {
            assertThat(letter.type()).isEqualTo("id");
            assertThat(letter.status()).isZero();
        });
        assertThat(scene.proxy().journal().items()).isEqualTo(1000 - bad.size());
    }

    /** Row 62: an index that wants a routing value. */
    @Test
    void givesUpDocumentsWithoutTheRoutingThatTheIndexWants() {
        scene.withIndex("{\"_routing\":{\"required\":true}}");
        LoadUnderTest.Outcome outcome = scene.loadOf("{\"a\":1,\"r\":\"x\"}", "{\"a\":2}", "{\"a\":3,\"r\":\"y\"}")
                .routingField("r")
                .run();
        assertThat(outcome.report().exit()).as(outcome.messages()).isEqualTo(ExitCode.DEAD_LETTERS);
        assertThat(outcome.letters()).singleElement().satisfies(letter -> {
            assertThat(letter.type()).isEqualTo("routing_missing_exception");
            assertThat(letter.position().line()).isEqualTo(2);
        });
        assertThat(scene.cluster().count("bad")).isEqualTo(2);
    }

    /** Row 68: what a document says shows up in its dead letter and nowhere else. */
    @Test
    void tellsNobodyWhatIsInADocument() {
        String canary = "CANARY-4711";
        StringBuilder logged = new StringBuilder();
        Handler handler = new Handler() {
            @Override
            public synchronized void publish(LogRecord logRecord) {
                logged.append(logRecord.getMessage()).append('\n');
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger.getLogger("").addHandler(handler);
        try {
            scene.withIndex(MAPPINGS);
            LoadUnderTest.Outcome outcome = scene.loadOf(
                            "{\"n\":1,\"secret\":\"" + canary + "\"}",
                            "{\"n\":\"x\",\"secret\":\"" + canary + "\"}",
                            "{\"secret\":\"" + canary + "\",")
                    .run();
            assertThat(outcome.letters()).hasSize(2);
            assertThat(outcome.letters()).allSatisfy(letter -> {
                assertThat(letter.reason()).doesNotContain(canary).hasSizeLessThan(1100);
                assertThat(letter.json()).contains(canary);
            });
            assertThat(outcome.messages() + outcome.told() + outcome.events() + logged)
                    .doesNotContain(canary);
        } finally {
            Logger.getLogger("").removeHandler(handler);
        }
    }

    private Path fileWith(Map<Integer, Planted> faults) throws IOException {
        String text = IntStream.range(0, 1000)
                .mapToObj(number -> {
                    Planted planted = faults.get(number);
                    return planted == null ? scene.documents().line(number) : planted.line();
                })
                .collect(Collectors.joining("\n", "", "\n"));
        return Files.write(folder.resolve("bad.ndjson"), text.getBytes(ISO_8859_1));
    }
}
