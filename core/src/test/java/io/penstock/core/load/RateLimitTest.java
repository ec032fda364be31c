package io.penstock.core.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RateLimitTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void withoutALimitNothingWaitsAndBatchesAreAsLargeAsTheyLike() {
        RateLimit limit = RateLimit.none();
        assertThat(limit.take(1_000_000, 1L << 40, 5)).isZero();
        assertThat(limit.batchDocuments()).isEqualTo(Integer.MAX_VALUE);
        assertThat(limit.batchBytes()).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void neverMoreThanTheRateAndNoLessThanItWhileThereIsSomethingToSend() {
        var random = new SplittableRandom(7);
        RateLimit limit = RateLimit.none();
        limit.set(1000, 1e9);
        long now = -SECOND;
        long began = now;
        long sent = 0;
        while (sent < 100_000) {
            int documents = random.nextInt(1, limit.batchDocuments() + 1);
            now += limit.take(documents, documents * 100L, now);
            sent += documents;
            assertThat(sent - limit.batchDocuments()).isLessThanOrEqualTo((now - began) * 1000 / SECOND + 1);
        }
        assertThat((now - began) / (double) SECOND).isBetween(99.5, 100.5);
    }

    @Test
    void theStricterOfBothHolds() {
        RateLimit limit = RateLimit.none();
        limit.set(1000, 1000);
        limit.take(1, 2000, 0);
        assertThat(limit.take(1, 1, 0)).isEqualTo(2 * SECOND);
        assertThat(limit.batchBytes()).isEqualTo(100);
    }

    @Test
    void idleTimeIsNotSavedUp() {
        RateLimit limit = RateLimit.none();
        limit.set(10, 1e9);
        limit.take(1, 1, 0);
        long later = 100 * SECOND;
        assertThat(limit.take(1, 1, later)).isZero();
        assertThat(limit.take(1, 1, later)).isEqualTo(SECOND / 10);
    }

    @Test
    void itMayChangeMeanwhile() {
        RateLimit limit = RateLimit.none();
        limit.set(1, 1e9);
        assertThat(limit.batchDocuments()).isEqualTo(1);
        limit.set(100, 1e9);
        assertThat(limit.batchDocuments()).isEqualTo(10);
        assertThatThrownBy(() -> limit.set(0, 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
