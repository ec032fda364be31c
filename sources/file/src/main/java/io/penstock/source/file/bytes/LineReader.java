package io.penstock.source.file.bytes;

import io.penstock.core.document.BadDocument;
import io.penstock.core.document.Body;
import io.penstock.core.document.Position;
import io.penstock.core.source.SourceException.Reason;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Lines that are not blank, each with its place.
 *
 * <p>Lines end at {@code \n} only, as in a bulk body; one {@code \r} in front of it is not part of the line, nor is a
 * byte order mark at the start of the file. The last line needs no end.
 */
public final class LineReader {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final long NEWLINES = '\n' * ONES;

    /** Bytes of the byte order mark; the line behind it begins there. */
    private static final int MARK_BYTES = 3;

    private final RecordBuffer buffer;
    private long lineOffset;
    private long lineNumber;
    private long nextOffset;
    private long nextNumber;
    private boolean repeat;
    /** Bits 7 of all bytes looked at since the line began, or more. */
    private long seenBits;

    private LineReader(RecordBuffer buffer, Position from) {
        this.buffer = buffer;
        nextOffset = from.offset();
        nextNumber = from.line();
    }

    /** Goes to {@code from}, which must be the start of a line, in a buffer of which nothing was taken. */
    public static LineReader open(RecordBuffer buffer, Position from) throws IOException {
        if (from.offset() == 0) {
            buffer.skipByteOrderMark();
        } else {
            buffer.skipTo(from.offset() - 1);
            int before = buffer.next();
            boolean lineBegins = before == '\n' || from.offset() == MARK_BYTES || buffer.peek() < 0;
            if (before < 0 || !lineBegins) {
                throw new BrokenInputException(
                        Reason.CHANGED, "no line begins at byte " + from.offset() + ", where reading was to go on");
            }
        }
        return new LineReader(buffer, from);
    }

    /** Takes the next line; false at the end of the file. */
    public boolean next() throws IOException {
        if (repeat) {
            repeat = false;
            nextOffset = buffer.offset();
            nextNumber = lineNumber + 1;
            return true;
        }
        while (readLine()) {
            if (buffer.firstNonBlank() >= 0) {
                return true;
            }
        }
        return false;
    }

    private boolean readLine() throws IOException {
        buffer.beginRecord();
        lineOffset = buffer.offset();
        lineNumber = nextNumber;
        seenBits = 0;
        while (true) {
            int end = findNewline(buffer.array(), buffer.scan(), buffer.limit());
            buffer.scanned(end);
            if (end < buffer.limit()) {
                buffer.endLine(end);
                buffer.scanned(end + 1);
                break;
            }
            if (!buffer.fill()) {
                buffer.endLine(buffer.scan());
                if (buffer.offset() == lineOffset) {
                    return false;
                }
                break;
            }
        }
        nextOffset = buffer.offset();
        nextNumber = lineNumber + 1;
        return true;
    }

    /** The next call of {@link #next} gives the same line again. */
    public void repeat() {
        repeat = true;
        nextOffset = lineOffset;
        nextNumber = lineNumber;
    }

    /** Index of the first newline, or {@code until}; eight bytes at a time. */
    private int findNewline(byte[] array, int from, int until) {
        long bits = seenBits;
        int i = from;
        for (; i <= until - Long.BYTES; i += Long.BYTES) {
            long word = (long) LONGS.get(array, i);
            bits |= word;
            long difference = word ^ NEWLINES;
            // The lowest bit set marks the first byte that is zero; those above it may be wrong.
            long zeros = (difference - ONES) & ~difference & HIGH_BITS;
            if (zeros != 0) {
                seenBits = bits;
                return i + (Long.numberOfTrailingZeros(zeros) >>> 3);
            }
        }
        for (; i < until && array[i] != '\n'; i++) {
            bits |= array[i];
        }
        seenBits = bits;
        return i;
    }

    /** Index of the first byte that is not ASCII, or {@code until}. */
    static int skipAscii(byte[] array, int from, int until) {
        int i = from;
        while (i <= until - Long.BYTES && ((long) LONGS.get(array, i) & HIGH_BITS) == 0) {
            i += Long.BYTES;
        }
        while (i < until && array[i] >= 0) {
            i++;
        }
        return i;
    }

    /** The line without its end; borrowed if it fits into the buffer, empty if it is too large. */
    public Body body() {
        return buffer.body();
    }

    /** The first byte of the line that is no white space. */
    public int firstNonBlank() {
        return buffer.firstNonBlank();
    }

    /** What is wrong with the line whatever its format: too large, or not UTF-8. */
    public @Nullable BadDocument fault() {
        return buffer.fault((seenBits & HIGH_BITS) == 0, position());
    }

    /** Where the line begins. */
    public Position position() {
        return new Position(lineOffset, lineNumber);
    }

    /** Where the next line begins. */
    public Position nextPosition() {
        return new Position(nextOffset, nextNumber);
    }
}
