package io.penstock.bench.result;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.bench.experiment.Cell;
import io.penstock.bench.experiment.Measure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Two results beside each other, cell by cell. They were not measured in the same rounds, so that the ratio is that of
 * two medians, and its interval is wider than that of rounds in pairs; what differs between the machines and the days
 * is in it.
 */
public final class Comparison {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** One round has no interval, and nothing is certain. */
    private static final int ROUNDS_MIN = 2;

    private final Result first;
    private final Result second;

    /**
     * Compares what both have measured.
     *
     * @param first the baseline
     */
    public Comparison(Result first, Result second) {
        this.first = first;
        this.second = second;
    }

    /** One measure of one cell in both. */
    private record Pair(Cell cell, Interval before, Interval after, Interval ratio) {}

    private List<Pair> pairs(Measure measure) {
        List<Pair> pairs = new ArrayList<>();
        for (Cell cell : second.experiment().cells()) {
            List<Double> before = first.values(cell.name(), measure);
            List<Double> after = second.values(cell.name(), measure);
            if (!before.isEmpty() && !after.isEmpty() && !before.contains(0.0)) {
                pairs.add(new Pair(
                        cell,
                        Interval.ofMedian(before),
                        Interval.ofMedian(after),
                        Interval.ofMediansRatio(after, before)));
            }
        }
        return pairs;
    }

    private Measure main() {
        return second.experiment().measures().getFirst();
    }

    /** Whether they have no cell in common. */
    public boolean isEmpty() {
        return pairs(main()).isEmpty();
    }

    /**
     * What is certainly worse than it may be: the whole interval of a cell's ratio is below the bound, or a cell of the
     * baseline could not be measured at all.
     *
     * @param least smallest ratio, for a measure of which more is better; else its inverse is the largest
     */
    public Optional<String> failure(double least) {
        for (Cell cell : first.experiment().cells()) {
            if (!first.values(cell.name(), main()).isEmpty()
                    && second.values(cell.name(), main()).isEmpty()) {
                return Optional.of("%s could not be measured, and the baseline has it".formatted(cell.name()));
            }
        }
        boolean more = main().moreIsBetter();
        return pairs(main()).stream()
                .filter(pair -> pair.ratio().count() >= ROUNDS_MIN)
                .filter(pair ->
                        more ? pair.ratio().high() < least : pair.ratio().low() > 1 / least)
                .min(Comparator.comparingDouble(
                        pair -> more ? pair.ratio().median() : -pair.ratio().median()))
                .map(pair -> "%s has %s times the %s of the baseline"
                        .formatted(pair.cell().name(), Result.times(pair.ratio()), main().label()));
    }

    public String markdown() {
        return tables().stream()
                .map(table -> "## " + table.title() + "\n\n" + table.markdown())
                .collect(Collectors.joining("\n"));
    }

    /** For a terminal. */
    public String text() {
        return tables().stream()
                .map(table -> table.title() + "\n" + table.text())
                .collect(Collectors.joining("\n"));
    }

    private List<Table> tables() {
        List<Table> tables = new ArrayList<>();
        for (Measure measure : second.experiment().measures()) {
            List<List<String>> rows = new ArrayList<>();
            rows.add(List.of("cell", "first", "second", "second / first", "95% interval", ""));
            for (Pair pair : pairs(measure)) {
                rows.add(List.of(
                        pair.cell().name(),
                        measure.text(pair.before().median()),
                        measure.text(pair.after().median()),
                        String.format(Locale.ROOT, "%.2f", pair.ratio().median()),
                        Result.span(pair.ratio()),
                        Result.words(pair.ratio(), measure)));
            }
            if (rows.size() > 1) {
                tables.add(new Table(measure.label(), rows));
            }
        }
        return tables;
    }

    /** One line for each cell and measure. */
    public String csv() {
        var text = new StringBuilder("measure,cell,first,second,ratio,ratio_low,ratio_high\n");
        for (Measure measure : second.experiment().measures()) {
            pairs(measure)
                    .forEach(pair -> text.append(Table.csv(
                            measure.key(),
                            pair.cell().name(),
                            pair.before().median(),
                            pair.after().median(),
                            pair.ratio().median(),
                            pair.ratio().low(),
                            pair.ratio().high())));
        }
        return text.toString();
    }

    /** The same as one JSON object. */
    public String json() {
        ObjectNode json = JSON.createObjectNode();
        ArrayNode cells = json.putArray("cells");
        for (Measure measure : second.experiment().measures()) {
            pairs(measure)
                    .forEach(pair -> cells.addObject()
                            .put("name", pair.cell().name())
                            .put("measure", measure.key())
                            .put("first", pair.before().median())
                            .put("second", pair.after().median())
                            .put("ratio", pair.ratio().median())
                            .put("low", pair.ratio().low())
                            .put("high", pair.ratio().high())
                            .put("words", Result.words(pair.ratio(), measure)));
        }
        return json.toPrettyString();
    }
}
