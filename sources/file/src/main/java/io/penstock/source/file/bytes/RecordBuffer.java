package io.penstock.source.file.bytes;

import io.penstock.core.document.BadDocument;
import io.penstock.core.document.Body;
import io.penstock.core.document.Position;
import io.penstock.core.source.SourceException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a stream, cut into records by a reader that looks for their boundaries.
 *
 * <p>The reader calls {@link #beginRecord}, looks through {@link #array} from {@link #scan} to {@link #limit}, asks for
 * {@link #fill more} at the limit, and calls {@link #endRecord}. A record that fits into the buffer is a slice of it. A
 * longer one is moved out in pieces; one over the limit for documents is only counted and hashed.
 */
public final class RecordBuffer implements AutoCloseable {
    /** A little under 256 KiB: a spilled piece and its header then fill a quarter of G1's smallest region exactly. */
    static final int CAPACITY = 256 * 1024 - 64;

    private final InputStream in;
    private final long maxRecordBytes;
    private final byte[] array = new byte[CAPACITY];
    /** Offset in the stream of the first byte of the array. */
    private long arrayOffset;

    private int recordStart;
    private int recordEnd;
    private int scan;
    private int limit;
    private final List<byte[]> spilled = new ArrayList<>();
    private long spilledBytes;
    private @Nullable MessageDigest digest;

    /** @param maxRecordBytes longer records are not kept */
    public RecordBuffer(InputStream in, long maxRecordBytes) {
        this.in = in;
        this.maxRecordBytes = maxRecordBytes;
    }

    /** The buffer itself; its content moves when {@link #fill} is called. */
    public byte[] array() {
        return array;
    }

    /** Index of the next byte to look at. */
    public int scan() {
        return scan;
    }

    /** Everything before this index has been looked at. */
    public void scanned(int index) {
        scan = index;
    }

    /** Index behind the last byte read. */
    public int limit() {
        return limit;
    }

    /** Offset in the stream of the next byte to look at. */
    public long offset() {
        return arrayOffset + scan;
    }

    /** Reads more, if all was looked at; false at the end of the stream. Moves the content: {@link #scan} changes. */
    public boolean fill() throws IOException {
        if (scan < limit) {
            return true;
        }
        if (recordStart > 0) {
            moveToFront(recordStart);
        } else if (limit == CAPACITY) {
            spill();
        }
        return readMore();
    }

    /** The next byte, or -1 at the end of the stream. */
    public int next() throws IOException {
        return scan < limit || fill() ? array[scan++] & 0xff : -1;
    }

    /** The next byte, not yet taken, or -1 at the end of the stream. */
    public int peek() throws IOException {
        return scan < limit || fill() ? array[scan] & 0xff : -1;
    }

    /** Whether a whole line is in the buffer, so that taking it does not wait for the stream. */
    public boolean holdsLine() {
        for (int i = scan; i < limit; i++) {
            if (array[i] == '\n') {
                return true;
            }
        }
        return false;
    }

    private boolean readMore() throws IOException {
        int read = in.read(array, limit, CAPACITY - limit);
        if (read < 0) {
            return false;
        }
        limit += read;
        return true;
    }

    private void moveToFront(int from) {
        System.arraycopy(array, from, array, 0, limit - from);
        arrayOffset += from;
        scan -= from;
        limit -= from;
        recordStart = 0;
    }

    /** Moves all but the last byte out, which may yet be the carriage return of a line end. */
    private void spill() {
        int length = limit - 1;
        spilledBytes += length;
        if (digest != null) {
            digest.update(array, 0, length);
        } else {
            byte[] piece = new byte[length];
            System.arraycopy(array, 0, piece, 0, length);
            spilled.add(piece);
            if (spilledBytes > maxRecordBytes) {
                hashSpilled();
            }
        }
        moveToFront(length);
    }

    private void hashSpilled() {
        MessageDigest started = sha256();
        spilled.forEach(started::update);
        spilled.clear();
        digest = started;
    }

    /** The next byte to look at is the first of a record. */
    public void beginRecord() {
        recordStart = scan;
        recordEnd = scan;
        spilledBytes = 0;
        digest = null;
        if (!spilled.isEmpty()) {
            spilled.clear();
        }
    }

    /** The byte in front of {@code end} is the last of the record. */
    public void endRecord(int end) {
        recordEnd = end;
    }

    /** Like {@link #endRecord}, without a carriage return. */
    public void endLine(int end) {
        recordEnd = end > recordStart && array[end - 1] == '\r' ? end - 1 : end;
    }

    /** Number of bytes of the record, also when it is too large. */
    public long recordBytes() {
        return spilledBytes + recordEnd - recordStart;
    }

    /** The first byte that is no white space, or -1 if there is none. */
    public int firstNonBlank() {
        for (byte[] piece : spilled) {
            int found = firstNonBlank(piece, 0, piece.length);
            if (found >= 0) {
                return found;
            }
        }
        return digest != null ? 0 : firstNonBlank(array, recordStart, recordEnd);
    }

    private static int firstNonBlank(byte[] bytes, int from, int until) {
        for (int i = from; i < until; i++) {
            byte b = bytes[i];
            if (b != ' ' && b != '\t' && b != '\r' && b != '\n') {
                return b & 0xff;
            }
        }
        return -1;
    }

    /** The record; empty if it is too large. Borrowed if it fits into the buffer. */
    public Body body() {
        if (isTooLarge()) {
            return Body.EMPTY;
        }
        if (spilledBytes == 0) {
            return Body.borrowed(array, recordStart, recordEnd - recordStart);
        }
        var pieces = new ArrayList<>(spilled);
        byte[] last = new byte[recordEnd - recordStart];
        System.arraycopy(array, recordStart, last, 0, last.length);
        pieces.add(last);
        return Body.owned(pieces, recordBytes());
    }

    /** Whether the record is over the limit. */
    public boolean isTooLarge() {
        return recordBytes() > maxRecordBytes;
    }

    /** What is wrong with the record whatever its format, if anything: it is too large, or its bytes are not UTF-8. */
    public @Nullable BadDocument fault(boolean knownAscii, Position at) {
        if (isTooLarge()) {
            return new BadDocument("too_large", tooLargeReason(), Body.EMPTY, recordBytes(), at);
        }
        if (knownAscii) {
            return null;
        }
        Body body = body();
        long invalid = new Utf8().firstInvalid(body);
        return invalid < 0
                ? null
                : new BadDocument("encoding", "byte " + invalid + " of it is not UTF-8", body, body.size(), at);
    }

    private String tooLargeReason() {
        MessageDigest hash = digest == null ? sha256() : digest;
        spilled.forEach(hash::update);
        hash.update(array, recordStart, recordEnd - recordStart);
        return "it has " + recordBytes() + " bytes, and the limit is " + maxRecordBytes + "; its SHA-256 is "
                + HexFormat.of().formatHex(hash.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Passes over the byte order mark at the start of a file. */
    public void skipByteOrderMark() throws IOException {
        while (limit - scan < 3 && readMore()) {
            // Pipes may give single bytes.
        }
        if (limit - scan >= 3
                && array[scan] == (byte) 0xef
                && array[scan + 1] == (byte) 0xbb
                && array[scan + 2] == (byte) 0xbf) {
            scan += 3;
        }
    }

    /** Goes forward to an offset in the stream, between records. */
    public void skipTo(long offset) throws IOException {
        long left = offset - offset();
        if (left < 0) {
            throw new IllegalArgumentException("cannot go back from " + offset() + " to " + offset);
        }
        if (left <= limit - scan) {
            scan += (int) left;
        } else {
            left -= limit - scan;
            while (left > 0) {
                long skipped = in.skip(left);
                if (skipped <= 0 && in.read() < 0) {
                    throw new BrokenInputException(
                            Reason.CHANGED, "it ends before byte " + offset + ", where reading was to go on");
                }
                left -= Math.max(skipped, 1);
            }
            arrayOffset = offset;
            scan = 0;
            limit = 0;
        }
        beginRecord();
    }

    /** What comes next, at most a buffer full, up to the end of the first line that is not blank; nothing is taken. */
    public Body preview() throws IOException {
        int from = scan;
        while (limit < CAPACITY) {
            int seen = limit;
            try {
                if (!readMore()) {
                    break;
                }
            } catch (BrokenInputException e) {
                if (limit == scan) {
                    throw e;
                }
                break; // Told again when reading comes to it.
            }
            if (endsFirstLine(seen)) {
                break;
            }
        }
        return Body.borrowed(array, from, limit - from);
    }

    private boolean endsFirstLine(int seen) {
        // A byte order mark alone makes no line.
        boolean marked = limit - scan >= 3
                && array[scan] == (byte) 0xEF
                && array[scan + 1] == (byte) 0xBB
                && array[scan + 2] == (byte) 0xBF;
        int begin = marked ? scan + 3 : scan;
        for (int i = Math.max(seen, begin); i < limit; i++) {
            if (array[i] == '\n' && firstNonBlank(array, begin, i) >= 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        try {
            in.close();
        } catch (IOException e) {
            // Nothing was written, so nothing can be lost.
        }
    }
}
