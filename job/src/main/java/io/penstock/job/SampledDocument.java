package io.penstock.job;

/**
 * A document that is looked for in the index at the end.
 *
 * @param id its {@code _id}
 * @param version its external version, or {@link io.penstock.core.document.Document#NO_VERSION}
 * @param place where it was read, for messages
 * @param body its bytes
 */
public record SampledDocument(String id, long version, String place, byte[] body) {
    /** Few enough to be read back in one request. */
    public static final int COUNT = 100;

    /** Larger documents are not sampled. */
    public static final int BYTES_MAX = 64 << 10;
}
