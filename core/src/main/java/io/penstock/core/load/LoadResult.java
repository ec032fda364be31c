package io.penstock.core.load;

import io.penstock.core.fate.Counts;
import io.penstock.core.window.WindowSize;
import java.util.List;

/**
 * How a load ended.
 *
 * @param counts every document that has its end, over all runs of the job
 * @param complete whether the source was read to its end and every document has its place
 * @param stops why it ended early; empty when it did not
 * @param window the window's last size
 * @param windowReason why it had that size
 * @param nanos from the first byte read to the last document settled
 */
public record LoadResult(
        Counts counts,
        boolean complete,
        List<StopSignal.Stop> stops,
        WindowSize window,
        String windowReason,
        long nanos) {}
