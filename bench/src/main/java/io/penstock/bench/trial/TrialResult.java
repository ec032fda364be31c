package io.penstock.bench.trial;

import io.penstock.bench.experiment.Measure;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What was measured in one run of one cell.
 *
 * @param round from 1
 * @param values what was measured; what could not be is missing
 * @param quantiles of the time of bulks: percent and milliseconds
 * @param series over the time of the run: seconds since its beginning and value
 * @param note something to tell beside; may be empty
 * @param unusable why it does not count; empty if it does
 */
public record TrialResult(
        String cell,
        int round,
        Map<Measure, Double> values,
        List<double[]> quantiles,
        Map<String, List<double[]>> series,
        String note,
        Optional<String> unusable) {
    public TrialResult {
        values = Map.copyOf(values);
    }
}
