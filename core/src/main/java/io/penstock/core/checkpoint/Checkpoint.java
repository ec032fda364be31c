package io.penstock.core.checkpoint;

import io.penstock.core.document.Position;
import io.penstock.core.fate.Counts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A statement that survives: every document before these marks has its end, and so many ended where.
 *
 * <p>Written as text, a line for each fact, the last a checksum of all before it; {@code docs/checkpoint.md} describes
 * it byte by byte.
 *
 * @param facts what must not change between two runs of a job, for example the index's UUID and the options that decide
 *     ids
 * @param marks one for each partition, in order
 * @param counts of the documents before the marks
 */
public record Checkpoint(Map<String, String> facts, List<PartitionMark> marks, Counts counts) {
    private static final String HEADER = "penstock-checkpoint 1";
    private static final int CRC_LINE_BYTES = "crc 01234567\n".length();

    public Checkpoint {
        facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
        marks = List.copyOf(marks);
    }

    /** Whether every partition is done. */
    public boolean isComplete() {
        return marks.stream().allMatch(PartitionMark::done);
    }

    /** The text that {@link #parse} reads. */
    public byte[] toBytes() {
        var text = new StringBuilder(HEADER).append('\n');
        facts.forEach((name, value) -> line(text, "fact", name, value));
        for (PartitionMark mark : marks) {
            line(
                    text,
                    "mark",
                    mark.done() ? "done" : "open",
                    Long.toString(mark.position().offset()),
                    Long.toString(mark.position().line()),
                    mark.fingerprint(),
                    mark.name());
        }
        line(
                text,
                "counts",
                counts.read(),
                counts.created(),
                counts.updated(),
                counts.perhapsOurs(),
                counts.deleted(),
                counts.absent(),
                counts.superseded(),
                counts.dropped(),
                counts.deadLettered(),
                counts.retried(),
                counts.bytes(),
                counts.elsewhere(),
                counts.named());
        byte[] covered = text.toString().getBytes(StandardCharsets.UTF_8);
        text.append("crc ").append(crc(covered, covered.length)).append('\n');
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Reads what {@link #toBytes} made, or gives nothing if any byte of it is not as it was. */
    public static Optional<Checkpoint> parse(byte[] bytes) {
        int covered = bytes.length - CRC_LINE_BYTES;
        if (covered < 0) {
            return Optional.empty();
        }
        // The bytes are what the checksum covers: different damage can decode to the same text.
        String text = new String(bytes, 0, covered, StandardCharsets.UTF_8);
        String crcLine = new String(bytes, covered, CRC_LINE_BYTES, StandardCharsets.ISO_8859_1);
        if (!text.startsWith(HEADER + "\n") || !crcLine.equals("crc " + crc(bytes, covered) + "\n")) {
            return Optional.empty();
        }
        var facts = new LinkedHashMap<String, String>();
        var marks = new ArrayList<PartitionMark>();
        Counts counts = Counts.NONE;
        for (String line : text.split("\n", -1)) {
            String[] words = line.split("\t", -1);
            for (int i = 0; i < words.length; i++) {
                words[i] = unescape(words[i]);
            }
            switch (words[0]) {
                case "fact" -> facts.put(words[1], words[2]);
                case "mark" ->
                    marks.add(new PartitionMark(
                            words[5],
                            words[4],
                            new Position(Long.parseLong(words[2]), Long.parseLong(words[3])),
                            words[1].equals("done")));
                case "counts" -> counts = counts(words);
                default -> {}
            }
        }
        return Optional.of(new Checkpoint(facts, marks, counts));
    }

    private static Counts counts(String[] words) {
        long[] n = new long[words.length];
        for (int i = 1; i < words.length; i++) {
            n[i] = Long.parseLong(words[i]);
        }
        return new Counts(n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10], n[11], n[12], n[13]);
    }

    private static void line(StringBuilder text, String kind, Object... words) {
        text.append(kind);
        for (Object word : words) {
            text.append('\t').append(escape(word.toString()));
        }
        text.append('\n');
    }

    private static String escape(String word) {
        return word.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n");
    }

    private static String unescape(String word) {
        if (word.indexOf('\\') < 0) {
            return word;
        }
        var plain = new StringBuilder(word.length());
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            if (c == '\\') {
                i++;
                char escaped = word.charAt(i);
                plain.append(escaped == 't' ? '\t' : escaped == 'n' ? '\n' : escaped);
            } else {
                plain.append(c);
            }
        }
        return plain.toString();
    }

    private static String crc(byte[] bytes, int covered) {
        var crc = new CRC32C();
        crc.update(bytes, 0, covered);
        return "%08x".formatted(crc.getValue());
    }
}
