package io.penstock.core.delivery;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Exponential back-off with full jitter (Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015):
 * a random wait between nothing and a bound that doubles with each try.
 *
 * @param first bound of the wait before the first retry
 * @param cap largest bound
 */
public record Backoff(Duration first, Duration cap) {
    /** 100 ms, doubling to 30 s. */
    public static final Backoff DEFAULT = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30));

    /** Nanoseconds to wait before retry number {@code retry}, counted from 0. */
    public long nanos(int retry, RandomGenerator random) {
        long bound = Math.min(cap.toNanos(), first.toNanos() << Math.min(retry, 20));
        return random.nextLong(bound + 1);
    }
}
