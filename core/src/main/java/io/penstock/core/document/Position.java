package io.penstock.core.document;

/**
 * A place in one partition of a source.
 *
 * @param offset bytes from the start of the partition, after decompression; for a topic partition, the record's offset
 * @param line line number from 1, or 0 where the source has no lines
 */
public record Position(long offset, long line) {
    /** The start of a partition. */
    public static final Position START = new Position(0, 1);

    public Position {
        if (offset < 0 || line < 0) {
            throw new IllegalArgumentException("a position cannot be negative: " + offset + ", line " + line);
        }
    }

    @Override
    public String toString() {
        return line == 0 ? "offset " + offset : "line " + line + " (byte " + offset + ")";
    }
}
