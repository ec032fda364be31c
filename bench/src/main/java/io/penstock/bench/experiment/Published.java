package io.penstock.bench.experiment;

import java.util.Map;

/**
 * What somebody else has measured.
 *
 * @param source who, where
 * @param unit of the values
 * @param values by the names of our cells
 */
public record Published(String source, String unit, Map<String, Double> values) {
    public Published {
        values = Map.copyOf(values);
    }
}
