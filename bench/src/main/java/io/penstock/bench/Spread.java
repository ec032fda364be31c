package io.penstock.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * What repeated measurements of one thing say: the middle, and how far they lie apart.
 *
 * @param values in the order they were measured
 */
record Spread(List<Double> values) {
    Spread {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("nothing was measured");
        }
        values = List.copyOf(values);
    }

    /** Round by round, what the first side had divided by the second: drift of the machine falls out. */
    static Spread ratios(Spread first, Spread second) {
        if (first.values.size() != second.values.size()) {
            throw new IllegalArgumentException("rounds are compared in pairs");
        }
        return new Spread(IntStream.range(0, first.values.size())
                .mapToObj(round -> first.values.get(round) / second.values.get(round))
                .toList());
    }

    double median() {
        double[] sorted = sorted();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    double min() {
        return sorted()[0];
    }

    double max() {
        double[] sorted = sorted();
        return sorted[sorted.length - 1];
    }

    private double[] sorted() {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return sorted;
    }

    /** Median, smallest and largest as cells of a table. */
    List<String> cells(int decimals) {
        return List.of(text(median(), decimals), text(min(), decimals), text(max(), decimals));
    }

    static String text(double value, int decimals) {
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
}
