package io.penstock.core.load;

/**
 * How fast documents may leave the reader: a bucket that holds what one {@link #BURST_NANOS burst} may take. Each batch
 * takes its documents and bytes at once and the next waits until they have flowed in again. Resends are not counted, as
 * they are what a cluster under load asks for least, and are held back by their own back-off.
 *
 * <p>Thread-safe; may be changed while a load runs.
 */
public final class RateLimit {
    /** A batch has at most what flows in this time, so that the flow is smooth: a tenth of a second. */
    private static final long BURST_NANOS = 100_000_000L;

    private double documentsPerSecond = Double.POSITIVE_INFINITY;
    private double bytesPerSecond = Double.POSITIVE_INFINITY;
    private long freeAt = Long.MIN_VALUE;

    /** No limit, until there is one. */
    public static RateLimit none() {
        return new RateLimit();
    }

    /**
     * Sets both limits from now on; infinity for none.
     *
     * @throws IllegalArgumentException unless both are positive
     */
    public synchronized void set(double documents, double bytes) {
        if (!(documents > 0) || !(bytes > 0)) {
            throw new IllegalArgumentException(
                    "a rate is more than 0: " + documents + " documents, " + bytes + " bytes");
        }
        documentsPerSecond = documents;
        bytesPerSecond = bytes;
    }

    /** Most documents a second; infinity for no limit. */
    public synchronized double documentsPerSecond() {
        return documentsPerSecond;
    }

    /** Most documents of one batch; at least 1. */
    public synchronized int batchDocuments() {
        return (int) Math.clamp(documentsPerSecond * BURST_NANOS / 1e9, 1, Integer.MAX_VALUE);
    }

    /** Most bytes of one batch; at least 1. */
    public synchronized int batchBytes() {
        return (int) Math.clamp(bytesPerSecond * BURST_NANOS / 1e9, 1, Integer.MAX_VALUE);
    }

    /**
     * Takes a batch.
     *
     * @return nanoseconds to wait before it may leave
     */
    public synchronized long take(int documents, long bytes, long nowNanos) {
        double seconds = Math.max(documents / documentsPerSecond, bytes / bytesPerSecond);
        if (seconds == 0) {
            return 0;
        }
        long from = freeAt == Long.MIN_VALUE || nowNanos - freeAt > 0 ? nowNanos : freeAt;
        freeAt = from + (long) (seconds * 1e9);
        return from - nowNanos;
    }
}
