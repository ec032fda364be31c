package io.penstock.source.file;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One line of an access log; texts that are {@code -} are null.
 *
 * @param timestamp ISO 8601 with offset
 * @param bytes {@link #NO_BYTES} if the line has {@code -}
 * @param request null only if it is empty
 */
record ApacheLogLine(
        Text clientIp,
        @Nullable Text ident,
        @Nullable Text auth,
        String timestamp,
        @Nullable Text request,
        int status,
        long bytes,
        @Nullable Text referer,
        @Nullable Text agent) {
    static final long NO_BYTES = -1;

    /** A piece of the line, or of a copy without escapes. */
    static final class Text {
        private final byte[] bytes;
        private final int offset;
        private final int length;

        Text(byte[] bytes, int offset, int length) {
            this.bytes = bytes;
            this.offset = offset;
            this.length = length;
        }

        int length() {
            return length;
        }

        void writeTo(JsonGenerator generator) throws IOException {
            generator.writeUTF8String(bytes, offset, length);
        }

        int indexOf(char wanted) {
            int i = 0;
            while (i < length && bytes[offset + i] != wanted) {
                i++;
            }
            return i == length ? -1 : i;
        }

        int lastIndexOf(char wanted) {
            int i = length - 1;
            while (i >= 0 && bytes[offset + i] != wanted) {
                i--;
            }
            return i;
        }

        boolean startsWith(String prefix, int from) {
            return from + prefix.length() <= length
                    && new String(bytes, offset + from, prefix.length(), US_ASCII).equals(prefix);
        }

        Text slice(int from, int until) {
            return new Text(bytes, offset + from, until - from);
        }

        @Nullable
        Text unlessDash() {
            return length == 0 || (length == 1 && bytes[offset] == '-') ? null : this;
        }
    }

    /** The line's parts, or null if it is not such a line. */
    static @Nullable ApacheLogLine parse(byte[] line) {
        return new Cursor(line).read();
    }

    /** Goes through the line from left to right; once something does not fit, everything is null. */
    private static final class Cursor {
        private static final List<String> MONTHS =
                List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");
        /** {@code 17/May/2015:10:05:03 +0000}; 9 stands for a digit, A for a letter, + for a sign. */
        private static final String DATE_SHAPE = "99/AAA/9999:99:99:99 +9999";

        private static final int MAX_DIGITS = 18;

        private final byte[] line;
        private int at;

        Cursor(byte[] line) {
            this.line = line;
        }

        @Nullable
        ApacheLogLine read() {
            Text clientIp = until(" ");
            Text ident = until(" ");
            Text auth = until(" [");
            String timestamp = timestamp();
            if (clientIp == null || clientIp.length() == 0 || ident == null || auth == null || timestamp == null) {
                return null;
            }
            Text request = skip("] ") ? quoted() : null;
            long status = request != null && skip(" ") ? number() : NO_BYTES;
            if (request == null || status < 0 || status > 999 || !skip(" ")) {
                return null;
            }
            boolean unknown = skip("-");
            long bytes = unknown ? NO_BYTES : number();
            if (!unknown && bytes < 0) {
                return null;
            }
            Text referer = null;
            Text agent = null;
            if (!atEnd()) {
                referer = skip(" ") ? quoted() : null;
                agent = referer != null && skip(" ") ? quoted() : null;
                if (agent == null || !atEnd()) {
                    return null;
                }
            }
            return new ApacheLogLine(
                    clientIp,
                    ident.unlessDash(),
                    auth.unlessDash(),
                    timestamp,
                    request.length() == 0 ? null : request,
                    (int) status,
                    bytes,
                    referer == null ? null : referer.unlessDash(),
                    agent == null ? null : agent.unlessDash());
        }

        private boolean atEnd() {
            int i = at;
            while (i < line.length && line[i] == ' ') {
                i++;
            }
            return i == line.length;
        }

        private boolean skip(String text) {
            if (!isAt(text, at)) {
                return false;
            }
            at += text.length();
            return true;
        }

        private boolean isAt(String text, int index) {
            if (index + text.length() > line.length) {
                return false;
            }
            for (int i = 0; i < text.length(); i++) {
                if (line[index + i] != text.charAt(i)) {
                    return false;
                }
            }
            return true;
        }

        /** What is in front of {@code end}, which is passed over. */
        private @Nullable Text until(String end) {
            int start = at;
            for (int i = at; i < line.length; i++) {
                if (isAt(end, i)) {
                    at = i + end.length();
                    return new Text(line, start, i - start);
                }
            }
            at = line.length;
            return null;
        }

        private long number() {
            int start = at;
            long value = 0;
            while (at < line.length && line[at] >= '0' && line[at] <= '9' && at - start < MAX_DIGITS) {
                value = value * 10 + line[at] - '0';
                at++;
            }
            return at == start ? -1 : value;
        }

        /** A text in quotes, in which a backslash protects quotes and backslashes. */
        private @Nullable Text quoted() {
            if (!skip("\"")) {
                return null;
            }
            int start = at;
            boolean escapes = false;
            while (at < line.length && line[at] != '"') {
                boolean escape = line[at] == '\\' && at + 1 < line.length;
                escapes |= escape;
                at += escape ? 2 : 1;
            }
            if (at >= line.length) {
                return null;
            }
            int length = at - start;
            at++;
            return escapes ? unescaped(start, length) : new Text(line, start, length);
        }

        private Text unescaped(int start, int length) {
            byte[] plain = new byte[length];
            int count = 0;
            for (int i = start; i < start + length; i++) {
                boolean escape = line[i] == '\\' && (line[i + 1] == '"' || line[i + 1] == '\\');
                plain[count++] = line[escape ? ++i : i];
            }
            return new Text(plain, 0, count);
        }

        private @Nullable String timestamp() {
            if (!hasDateShape()) {
                return null;
            }
            String text = new String(line, at, DATE_SHAPE.length(), ISO_8859_1);
            at += DATE_SHAPE.length();
            int month = MONTHS.indexOf(text.substring(3, 6)) + 1;
            if (month == 0 || !isTime(text)) {
                return null;
            }
            return text.substring(7, 11) + (month < 10 ? "-0" : "-") + month + "-" + text.substring(0, 2) + "T"
                    + text.substring(12, 20) + text.substring(21, 24) + ":" + text.substring(24, 26);
        }

        private static boolean isTime(String text) {
            String day = text.substring(0, 2);
            return day.compareTo("01") >= 0
                    && day.compareTo("31") <= 0
                    && text.substring(12, 14).compareTo("23") <= 0
                    && text.charAt(15) <= '5'
                    && text.substring(18, 20).compareTo("60") <= 0;
        }

        private boolean hasDateShape() {
            if (at + DATE_SHAPE.length() > line.length) {
                return false;
            }
            for (int i = 0; i < DATE_SHAPE.length(); i++) {
                int found = line[at + i];
                boolean fits = switch (DATE_SHAPE.charAt(i)) {
                    case '9' -> found >= '0' && found <= '9';
                    case 'A' -> Character.isLetter(found);
                    case '+' -> found == '+' || found == '-';
                    default -> found == DATE_SHAPE.charAt(i);
                };
                if (!fits) {
                    return false;
                }
            }
            return true;
        }
    }
}
