package io.penstock.job;

import io.penstock.core.source.LiveSource;
import java.time.Duration;

/**
 * What more there is to know when the source goes on being written to.
 *
 * @param source the source
 * @param follow whether the load goes on behind the end that the source had when it began
 * @param cutOver when the index is current enough to serve
 */
public record LivePlan(LiveSource source, boolean follow, Current cutOver) {
    /**
     * When an index that follows a source is taken for current.
     *
     * @param lag records that it may be behind
     * @param time how long it must not have been behind further
     */
    public record Current(long lag, Duration time) {
        /** What is asked for when nobody says otherwise. */
        public static final Current DEFAULT = new Current(1_000, Duration.ofSeconds(10));
    }
}
