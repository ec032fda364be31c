package io.penstock.node;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds in what a server wrote why it did not start. */
final class NodeLog {
    private static final int TAIL_BYTES = 256 * 1024;
    private static final int REASON_CHARACTERS = 300;

    /** What tells most comes first; of each the last occurrence counts. */
    private static final List<Pattern> TELLING = List.of(
            Pattern.compile("(?m)^Likely root cause: (.+)$"),
            Pattern.compile("(?m)^Caused by: (.+)$"),
            Pattern.compile("(?m)^((?:[a-z]\\w*\\.)*[A-Z]\\w*(?:Exception|Error)(?:[:\\[].*))$"),
            Pattern.compile("(?m)^\\[[^\\]]*]\\[(?:ERROR|FATAL) *](.+)$"),
            Pattern.compile("(?mi)^(?:error|fatal|exception in thread \"main\"):? (.+)$"),
            Pattern.compile("(?m)^(\\S.*)\\s*\\z"));

    private NodeLog() {}

    /** The telling line, if the text has one. */
    static Optional<String> reason(String text) {
        for (Pattern pattern : TELLING) {
            String last = "";
            Matcher matcher = pattern.matcher(text);
            while (matcher.find()) {
                last = matcher.group(1).strip();
            }
            if (!last.isEmpty()) {
                return Optional.of(
                        last.length() <= REASON_CHARACTERS ? last : last.substring(0, REASON_CHARACTERS) + "...");
            }
        }
        return Optional.empty();
    }

    /** What was written behind {@code from}, or the end of it if that is much; empty if there is no such file. */
    static String since(Path file, long from) {
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            // A file shorter than before was begun anew.
            long start = log.length() < from ? 0 : from;
            byte[] tail = new byte[(int) Math.min(TAIL_BYTES, log.length() - start)];
            log.seek(log.length() - tail.length);
            log.readFully(tail);
            return new String(tail, StandardCharsets.UTF_8);
        } catch (IOException absent) {
            return "";
        }
    }
}
