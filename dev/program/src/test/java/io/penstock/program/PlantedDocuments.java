package io.penstock.program;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.testkit.seeds.NumberedDocuments;
import io.penstock.testkit.seeds.Seeds;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.zip.GZIPOutputStream;

/**
 * Numbered documents of which one in a hundred cannot be indexed: one half of those is no JSON, the other does not fit
 * {@link #MAPPING}. Which they are is drawn from the seed.
 */
record PlantedDocuments(NumberedDocuments documents, BitSet bad) {
    /** A mapping that refuses the second kind of bad document. */
    static final String MAPPING = """
            {"properties": {"n": {"type": "long"}, "key": {"type": "keyword"}, "crc": {"type": "long"},
            "text": {"type": "text", "index": false}}}""";

    private static final int MEMBER_DOCUMENTS = 20_000;

    static PlantedDocuments of(int count, long seed) {
        Seeds seeds = new Seeds(seed);
        BitSet bad = new BitSet(count);
        bad.set(seeds.intBetween(0, count));
        for (int number = 0; number < count; number++) {
            if (seeds.chance(0.01)) {
                bad.set(number);
            }
        }
        return new PlantedDocuments(new NumberedDocuments(seed, count, 200), bad);
    }

    int count() {
        return documents.count();
    }

    int goodCount() {
        return count() - bad.cardinality();
    }

    /** As NDJSON; document {@code n} is on line {@code n + 1}. */
    Path write(Path file) {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            writeLines(out, 0, count());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file;
    }

    /** As gzip of several members. */
    Path writeGzip(Path file) {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (int from = 0; from < count(); from += MEMBER_DOCUMENTS) {
                writeMember(out, from, Math.min(count(), from + MEMBER_DOCUMENTS));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file;
    }

    /** Some of them as one gzip member. */
    void writeMember(OutputStream out, int from, int until) throws IOException {
        var member = new GZIPOutputStream(out);
        var lines = new BufferedOutputStream(member);
        writeLines(lines, from, until);
        lines.flush();
        member.finish();
    }

    /** The documents {@code from} to {@code until}, that one not among them, each with its line end. */
    void writeLines(OutputStream out, int from, int until) throws IOException {
        for (int number = from; number < until; number++) {
            out.write(line(number).getBytes(UTF_8));
            out.write('\n');
        }
    }

    /** One document without its line end. */
    String line(int number) {
        String good = documents.line(number);
        if (!bad.get(number)) {
            return good;
        }
        return number % 2 == 0
                ? good.substring(0, good.length() / 2)
                : good.replace("{\"n\":%d,".formatted(number), "{\"n\":\"number %d\",".formatted(number));
    }
}
