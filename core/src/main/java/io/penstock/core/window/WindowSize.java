package io.penstock.core.window;

/**
 * How much may be in flight.
 *
 * @param bulkBytes bytes that one bulk request may have
 * @param concurrency bulk requests that may be under way together
 */
public record WindowSize(int bulkBytes, int concurrency) {
    public WindowSize {
        if (bulkBytes < 1 || concurrency < 1) {
            throw new IllegalArgumentException("a window is never closed: " + bulkBytes + " x " + concurrency);
        }
    }

    /** Bytes in flight when the window is full. */
    public long bytes() {
        return (long) bulkBytes * concurrency;
    }

    @Override
    public String toString() {
        return bulkBytes >= 1 << 20
                ? "%.1f MiB x %d".formatted(bulkBytes / 1048576.0, concurrency)
                : "%d KiB x %d".formatted(Math.max(1, bulkBytes / 1024), concurrency);
    }
}
