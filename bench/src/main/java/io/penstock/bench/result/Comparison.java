package io.penstock.bench.result;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.bench.experiment.Cell;
import io.penstock.bench.experiment.Measure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Two results beside each other, cell by cell. They were not measured in the same rounds, so that the ratio is that of
 * two medians, and its interval is wider than that of rounds in pairs; what differs between the machines and the days
 * is in it.
 */
public final class Comparison {
    private static final int RESAMPLES = 10_000;
    private static final long SEED = 1993;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Result first;
    private final Result second;
    private final Measure measure;
    private final Map<String, Interval> ratios = new TreeMap<>();

    /**
     * Compares what both have measured.
     *
     * @param first the baseline
     */
    public Comparison(Result first, Result second) {
        this.first = first;
        this.second = second;
        this.measure = second.experiment().measures().getFirst();
        for (Cell cell : second.experiment().cells()) {
            List<Double> before = first.values(cell.name(), measure);
            List<Double> after = second.values(cell.name(), measure);
            if (!before.isEmpty() && !after.isEmpty()) {
                ratios.put(cell.name(), ratio(before, after));
            }
        }
    }

    private static Interval ratio(List<Double> before, List<Double> after) {
        var random = new SplittableRandom(SEED);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < RESAMPLES; i++) {
            ratios.add(drawn(after, random) / drawn(before, random));
        }
        ratios.sort(null);
        return new Interval(
                Interval.ofMedian(after).median() / Interval.ofMedian(before).median(),
                ratios.get((int) (RESAMPLES * 0.025)),
                ratios.get((int) (RESAMPLES * 0.975) - 1),
                Math.min(before.size(), after.size()));
    }

    private static double drawn(List<Double> values, SplittableRandom random) {
        return Interval.medianOf(values.stream()
                .mapToDouble(any -> values.get(random.nextInt(values.size())))
                .toArray());
    }

    /** Whether they have any cell in common. */
    public boolean isEmpty() {
        return ratios.isEmpty();
    }

    /**
     * The cell that is worst beside the baseline, if its ratio is below a bound for certain: the whole interval is.
     *
     * @param least smallest ratio, for a measure of which more is better; else its inverse is the largest
     */
    public Optional<String> failure(double least) {
        return ratios.entrySet().stream()
                .filter(entry -> measure.moreIsBetter()
                        ? entry.getValue().high() < least
                        : entry.getValue().low() > 1 / least)
                .map(entry -> "%s has %s times the %s of the baseline (%s)"
                        .formatted(
                                entry.getKey(),
                                String.format(
                                        Locale.ROOT, "%.2f", entry.getValue().median()),
                                measure.label(),
                                Result.times(entry.getValue())))
                .findFirst();
    }

    public String markdown() {
        return table().markdown();
    }

    public String csv() {
        return table().csv();
    }

    private Table table() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("cell", "first", "second", "second / first", "95% interval", ""));
        for (Cell cell : second.experiment().cells()) {
            Interval ratio = ratios.get(cell.name());
            if (ratio != null) {
                rows.add(List.of(
                        cell.name(),
                        median(first, cell),
                        median(second, cell),
                        String.format(Locale.ROOT, "%.2f", ratio.median()),
                        String.format(Locale.ROOT, "%.2f to %.2f", ratio.low(), ratio.high()),
                        Result.words(ratio, measure)));
            }
        }
        return new Table(measure.label(), rows);
    }

    private String median(Result result, Cell cell) {
        return measure.text(
                Interval.ofMedian(result.values(cell.name(), measure)).median());
    }

    /** The same as one JSON object. */
    public String json() {
        ObjectNode json = JSON.createObjectNode().put("measure", measure.key());
        ArrayNode cells = json.putArray("cells");
        ratios.forEach((cell, ratio) -> cells.addObject()
                .put("name", cell)
                .put("ratio", ratio.median())
                .put("low", ratio.low())
                .put("high", ratio.high())
                .put("words", Result.words(ratio, measure)));
        return json.toPrettyString();
    }
}
