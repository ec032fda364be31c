package io.penstock.core.document;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The bytes of one document, without a line end.
 *
 * <p>A <em>borrowed</em> body is a slice of the reader's own buffer and is valid only until the reader is asked for the
 * next document: whoever keeps it copies it, once. An <em>owned</em> body was collected for this document alone, in
 * pieces, because it is larger than that buffer; it may be kept without a copy.
 *
 * <p>Not thread-safe, never changed after it was made.
 */
public final class Body {
    /** A body without bytes, as a delete has. */
    public static final Body EMPTY = new Body(List.of(), 0, 0, true);

    private final List<byte[]> pieces;
    private final int offset;
    private final long size;
    private final boolean owned;

    private Body(List<byte[]> pieces, int offset, long size, boolean owned) {
        this.pieces = pieces;
        this.offset = offset;
        this.size = size;
        this.owned = owned;
    }

    /** A slice of a buffer that the reader will use again. */
    public static Body borrowed(byte[] array, int offset, int length) {
        if (offset < 0 || length < 0 || length > array.length - offset) {
            throw new IllegalArgumentException("slice " + offset + "+" + length + " is outside of " + array.length);
        }
        return new Body(List.of(array), offset, length, false);
    }

    /**
     * Pieces that belong to this body alone, each used whole but the last, of which only as much counts as {@code size}
     * leaves.
     */
    public static Body owned(List<byte[]> pieces, long size) {
        long capacity = pieces.stream().mapToLong(piece -> piece.length).sum();
        if (size < 0 || size > capacity) {
            throw new IllegalArgumentException(size + " bytes do not fit in pieces of " + capacity);
        }
        return new Body(List.copyOf(pieces), 0, size, true);
    }

    /** Number of bytes. */
    public long size() {
        return size;
    }

    /** Whether the pieces may be kept without a copy. */
    public boolean isOwned() {
        return owned;
    }

    /** Hands each run of bytes to {@code consumer}, in order. */
    public void forEachPiece(PieceConsumer consumer) {
        long left = size;
        int from = offset;
        for (byte[] piece : pieces) {
            int length = (int) Math.min(left, piece.length - from);
            if (length == 0) {
                return;
            }
            consumer.accept(piece, from, length);
            left -= length;
            from = 0;
        }
    }

    /** Writes the bytes. */
    public void writeTo(OutputStream out) throws IOException {
        long left = size;
        int from = offset;
        for (byte[] piece : pieces) {
            int length = (int) Math.min(left, piece.length - from);
            out.write(piece, from, length);
            left -= length;
            from = 0;
        }
    }

    /** The bytes as a stream. */
    public InputStream open() {
        if (pieces.size() == 1) {
            return new ByteArrayInputStream(pieces.get(0), offset, (int) size);
        }
        var streams = new ArrayList<InputStream>(pieces.size());
        forEachPiece((array, from, length) -> streams.add(new ByteArrayInputStream(array, from, length)));
        return new SequenceInputStream(Collections.enumeration(streams));
    }

    /** A copy of at most the first {@code limit} bytes. */
    public byte[] head(int limit) {
        byte[] head = new byte[(int) Math.min(limit, size)];
        int[] filled = {0};
        forEachPiece((array, from, length) -> {
            int take = Math.min(length, head.length - filled[0]);
            System.arraycopy(array, from, head, filled[0], take);
            filled[0] += take;
        });
        return head;
    }

    /** A copy of all bytes; only for bodies known to be small. */
    public byte[] toBytes() {
        return pieces.size() == 1
                ? Arrays.copyOfRange(pieces.get(0), offset, offset + (int) size)
                : head(Math.toIntExact(size));
    }

    /** Takes one run of bytes of a body. */
    @FunctionalInterface
    public interface PieceConsumer {
        void accept(byte[] array, int offset, int length);
    }
}
