package io.penstock.bench.experiment;

import java.util.Map;

/**
 * One combination of the factors that are varied.
 *
 * @param name what tables call it
 * @param group cells of one group are compared with each other
 * @param varied the factors that make it this cell
 */
public record Cell(String name, String group, Map<String, String> varied, Setup setup) {
    public Cell {
        varied = Map.copyOf(varied);
    }
}
