package io.penstock.core.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.batch.Batch;
import io.penstock.core.batch.Batcher;
import io.penstock.core.batch.BufferPool;
import io.penstock.core.document.Position;
import io.penstock.core.time.Clock;
import io.penstock.core.window.Outcome;
import io.penstock.core.window.Window;
import io.penstock.core.window.WindowLaw;
import io.penstock.core.window.WindowLimits;
import io.penstock.core.window.WindowSize;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class SharedWindowTest {
    private long now = 1;
    private final SharedWindow window = new SharedWindow(window(), new Ticking(), event -> {});
    private final Batch one = batch();
    private final Batch other = batch();

    @Test
    void whatPassedCountsUntilAnotherBatchFails() throws InterruptedException {
        long began = window.lastSuccessNanos(one);
        passes();
        long passed = window.lastSuccessNanos(one);
        assertThat(passed).isGreaterThan(began);

        window.failed(other);

        assertThat(window.lastSuccessNanos(one)).as("an outage, perhaps").isEqualTo(began);
    }

    @Test
    void aBatchsOwnFailuresSayNothingOfAnOutage() throws InterruptedException {
        window.failed(other);
        passes();
        long passed = window.lastSuccessNanos(one);

        window.failed(one);
        window.failed(one);

        assertThat(window.lastSuccessNanos(one)).isEqualTo(passed);
        assertThat(window.lastSuccessNanos(other)).as("for the other it is one").isLessThan(passed);
    }

    @Test
    void anOutageIsOverWhenSomethingPasses() throws InterruptedException {
        window.failed(other);
        passes();

        assertThat(window.lastSuccessNanos(one)).isEqualTo(now);
    }

    private void passes() throws InterruptedException {
        window.end(window.take(), Outcome.ANSWERED, 1, 0);
    }

    private static Window window() {
        var size = new WindowSize(1 << 20, 1);
        return new Window(new WindowLaw(new WindowLimits(1 << 20, 1 << 20, 1, 1, 1 << 20), size), 0);
    }

    private static Batch batch() {
        return new Batcher(0, new BufferPool(1 << 20), 0, 1 << 20, "logs", false).close(Position.START);
    }

    /** A clock that moves on whenever it is read. */
    private final class Ticking implements Clock {
        @Override
        public long nanos() {
            return ++now;
        }

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public void sleep(Duration duration) {
            throw new AssertionError("nothing sleeps here");
        }
    }
}
