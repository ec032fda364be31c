package io.penstock.core.deadletter;

import io.penstock.core.state.AppendLog;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;

/**
 * A dead letter as one line of JSON, written without ever holding the document as a whole. Its last member is a
 * checksum of everything before it, so that a line torn by a crash is known for what it is. The form is described in
 * {@code docs/dead-letters.md}.
 */
final class DeadLetterLine {
    /** How every line begins. */
    static final String BEGIN = "{\"time\":\"";

    private static final String CRC_MEMBER = ",\"crc\":\"";
    private static final int CRC_BYTES = CRC_MEMBER.length() + 8 + 2;

    private DeadLetterLine() {}

    static void write(DeadLetter letter, OutputStream out) throws IOException {
        var line = new CheckedOutputStream(out, new CRC32C());
        ascii(line, BEGIN + letter.time() + "\",\"partition\":");
        text(line, letter.partition());
        ascii(
                line,
                ",\"offset\":" + letter.position().offset() + ",\"line\":"
                        + letter.position().line());
        ascii(line, ",\"status\":" + letter.status() + ",\"type\":");
        text(line, letter.type());
        ascii(line, ",\"reason\":");
        text(line, letter.reason());
        ascii(line, ",\"attempts\":" + letter.attempts());
        if (letter.action().length > 0) {
            ascii(line, ",\"action\":");
            line.write(letter.action());
        }
        ascii(line, ",\"bytes\":" + letter.documentBytes());
        document(line, letter.document());
        ascii(out, CRC_MEMBER + hex(line.getChecksum().getValue()) + "\"}\n");
    }

    /** Whether a line, without its line end, is as it was written. */
    static boolean isWhole(byte[] line) {
        int covered = line.length - CRC_BYTES;
        if (covered <= 0) {
            return false;
        }
        var crc = new CRC32C();
        crc.update(line, 0, covered);
        String expected = CRC_MEMBER + hex(crc.getValue()) + "\"}";
        return expected.equals(new String(line, covered, CRC_BYTES, StandardCharsets.ISO_8859_1));
    }

    /** As text where it is text; bytes that are not UTF-8 are kept in base 64. */
    private static void document(OutputStream line, AppendLog.Content document) throws IOException {
        var check = new Utf8Check();
        document.writeTo(check);
        if (check.isUtf8()) {
            ascii(line, ",\"document\":\"");
            document.writeTo(new Escaping(line));
        } else {
            ascii(line, ",\"documentBase64\":\"");
            OutputStream base64 = Base64.getEncoder().wrap(new KeptOpen(line));
            document.writeTo(base64);
            base64.close(); // writes the padding
        }
        line.write('"');
    }

    private static void text(OutputStream line, String text) throws IOException {
        line.write('"');
        new Escaping(line).write(text.getBytes(StandardCharsets.UTF_8));
        line.write('"');
    }

    private static void ascii(OutputStream line, String ascii) throws IOException {
        line.write(ascii.getBytes(StandardCharsets.US_ASCII));
    }

    private static String hex(long crc) {
        return "%08x".formatted(crc);
    }

    /** Turns UTF-8 into the inside of a JSON string. */
    private static final class Escaping extends OutputStream {
        private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

        private final OutputStream out;

        Escaping(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] utf8, int offset, int length) throws IOException {
            int plainFrom = offset;
            for (int i = offset; i < offset + length; i++) {
                byte b = utf8[i];
                if (b == '"' || b == '\\' || (b >= 0 && b < ' ')) {
                    out.write(utf8, plainFrom, i - plainFrom);
                    out.write(
                            b < ' '
                                    ? new byte[] {'\\', 'u', '0', '0', HEX[b >> 4], HEX[b & 15]}
                                    : new byte[] {'\\', b});
                    plainFrom = i + 1;
                }
            }
            out.write(utf8, plainFrom, offset + length - plainFrom);
        }
    }

    /** Lets a stream on top be closed without closing what is below. */
    private static final class KeptOpen extends FilterOutputStream {
        KeptOpen(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
