package io.penstock.core.time;

import java.time.Duration;
import java.time.Instant;

/** The time of day for display, and a steady count of nanoseconds for every decision. */
public interface Clock {
    /** Steady nanoseconds; only differences mean anything. Not affected by changes of the machine's time. */
    long nanos();

    /** Wall-clock time, for people only. */
    Instant now();

    /** Waits. */
    void sleep(Duration duration) throws InterruptedException;

    /** The machine's clock. */
    Clock SYSTEM = new Clock() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public Instant now() {
            return Instant.now();
        }

        @Override
        public void sleep(Duration duration) throws InterruptedException {
            Thread.sleep(duration);
        }
    };
}
