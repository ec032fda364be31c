package io.penstock.bench.trial;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What a loader did.
 *
 * @param acknowledged documents that the cluster has said yes to, from the very beginning: so many must be found there
 * @param measured of those, how many while it was measured
 * @param seconds how long it was measured
 * @param wholeSeconds from the beginning to the end of all of it
 * @param rejected documents refused for being too many, while it was measured; negative where that is not known
 * @param failed documents refused for good, or lost without an answer, while it was measured
 * @param micros how long bulks took, while it was measured
 * @param perSecond documents acknowledged in each second from the beginning, or after each report
 * @param cpuSeconds of the loader, for the whole of it
 * @param peakBytes of memory of the loader; 0 where it has no process of its own
 * @param waiting the part of the time in which the loader waited for the cluster; 1 where that is not known
 * @param note something to tell beside, such as the window it ended with; may be empty
 * @param trouble why the run cannot be used; null if it can
 */
record Loaded(
        long acknowledged,
        long measured,
        double seconds,
        double wholeSeconds,
        long rejected,
        long failed,
        Histogram micros,
        List<double[]> perSecond,
        double cpuSeconds,
        long peakBytes,
        double waiting,
        String note,
        @Nullable String trouble) {}
