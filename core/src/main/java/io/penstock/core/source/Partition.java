package io.penstock.core.source;

/**
 * A part of a source that is read in order, and that has a watermark of its own: one file, or one topic partition.
 *
 * @param ordinal place among the source's partitions, from 0
 * @param name what people call it: the file's path, or topic and partition
 * @param bytes size as stored (compressed, if it is), or {@link #UNKNOWN_SIZE}
 * @param identity a text that stays the same for the same content, also after more was appended; ids made from
 *     positions depend on it, so that another file of the same name never gets the same ids
 * @param fingerprint a text that changes with any change of the content that can be noticed (size, time, first bytes);
 *     a resume is refused when it differs
 */
public record Partition(int ordinal, String name, long bytes, String identity, String fingerprint) {
    /** The value of {@link #bytes()} for a stream whose end is not known. */
    public static final long UNKNOWN_SIZE = -1;
}
