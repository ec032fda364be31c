package io.penstock.core.window;

/**
 * Bounds of the window. A fixed bulk size or concurrency has its lower bound equal to its upper bound.
 *
 * @param bulkBytesMin smallest bulk, bytes
 * @param bulkBytesMax largest bulk, bytes
 * @param concurrencyMin fewest requests in flight, at least 1
 * @param concurrencyMax most requests in flight
 * @param bytesMax most bytes in flight: bulk size times concurrency
 */
public record WindowLimits(int bulkBytesMin, int bulkBytesMax, int concurrencyMin, int concurrencyMax, long bytesMax) {
    public WindowLimits {
        if (bulkBytesMin < 1 || bulkBytesMax < bulkBytesMin || concurrencyMin < 1 || concurrencyMax < concurrencyMin) {
            throw new IllegalArgumentException("bounds of the window are the wrong way round");
        }
    }

    /** The nearest size within the bounds; where the product is too large, the bulk size gives way. */
    WindowSize clamp(int bulkBytes, int concurrency) {
        int requests = Math.clamp(concurrency, concurrencyMin, concurrencyMax);
        long bytes = Math.min(bulkBytes, bytesMax / requests);
        return new WindowSize((int) Math.clamp(bytes, (long) bulkBytesMin, (long) bulkBytesMax), requests);
    }

    /** The same bounds with a smaller largest bulk, as learned from a 413. */
    WindowLimits withBulkBytesMax(int bytes) {
        int max = Math.max(1, Math.min(bulkBytesMax, bytes));
        return new WindowLimits(Math.min(bulkBytesMin, max), max, concurrencyMin, concurrencyMax, bytesMax);
    }
}
