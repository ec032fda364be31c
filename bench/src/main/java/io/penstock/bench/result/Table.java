package io.penstock.bench.result;

import io.penstock.bench.experiment.Cell;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.Measure;
import io.penstock.bench.experiment.Published;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One measure of all cells in rows and columns, with published figures beside ours.
 *
 * @param rows the first has the headings
 */
record Table(String title, List<List<String>> rows) {
    static List<Table> of(Result result) {
        return result.experiment().measures().stream()
                .filter(measure -> result.experiment().cells().stream()
                        .anyMatch(cell -> result.of(cell, measure).isPresent()))
                .map(measure -> of(result, measure))
                .toList();
    }

    private static Table of(Result result, Measure measure) {
        Experiment experiment = result.experiment();
        boolean first = measure == experiment.measures().getFirst();
        List<Published> published = first ? experiment.published() : List.of();
        List<String> head =
                new ArrayList<>(List.of("cell", "median", "95% interval", "times baseline", "95% interval", ""));
        published.forEach(one -> head.add(one.source() + ", " + one.unit()));
        List<List<String>> rows = new ArrayList<>();
        rows.add(head);
        for (Cell cell : experiment.cells()) {
            Optional<Interval> interval = result.of(cell, measure);
            if (interval.isEmpty()) {
                continue;
            }
            List<String> row = new ArrayList<>(List.of(
                    cell.name(),
                    measure.text(interval.get().median()),
                    measure.text(interval.get().low()) + " to "
                            + measure.text(interval.get().high())));
            Optional<Interval> ratio = result.ratio(cell, measure);
            row.add(ratio.map(r -> two(r.median())).orElse(experiment.isBaseline(cell) ? "baseline" : ""));
            row.add(ratio.map(Result::span).orElse(""));
            row.add(ratio.map(r -> Result.words(r, measure)).orElse(""));
            published.forEach(one -> row.add(published(one, cell, experiment.baselineOf(cell))));
            rows.add(row);
        }
        return new Table(measure.label(), rows);
    }

    private static String published(Published published, Cell cell, Cell baseline) {
        Double value = published.values().get(cell.name());
        Double base = published.values().get(baseline.name());
        if (value == null) {
            return "";
        }
        String text = String.format(Locale.ROOT, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%,.0f", value);
        return base == null || cell.name().equals(baseline.name()) ? text : text + " (" + two(value / base) + ")";
    }

    private static String two(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    String markdown() {
        var text = new StringBuilder();
        for (int i = 0; i < rows.size(); i++) {
            text.append(rows.get(i).stream().map(Table::markdown).collect(Collectors.joining(" | ", "| ", " |\n")));
            if (i == 0) {
                text.append("|---")
                        .append("|---:".repeat(rows.get(0).size() - 1))
                        .append("|\n");
            }
        }
        return text.toString();
    }

    /** In columns as wide as what stands in them. */
    String text() {
        int[] widths = new int[rows.getFirst().size()];
        for (List<String> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        var text = new StringBuilder();
        for (List<String> row : rows) {
            var line = new StringBuilder(" ");
            for (int i = 0; i < row.size(); i++) {
                String space = " ".repeat(widths[i] - row.get(i).length());
                line.append(' ')
                        .append(i == 0 ? row.get(i) + space : space + row.get(i))
                        .append(' ');
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    /** One line of values: texts are quoted where they must be, numbers are plain. */
    static String csv(Object... values) {
        return Arrays.stream(values)
                .map(value -> value instanceof Double number
                        ? String.format(Locale.ROOT, "%.6g", number)
                        : quoted(String.valueOf(value)))
                .collect(Collectors.joining(",", "", "\n"));
    }

    private static String quoted(String value) {
        return value.matches("[^,\"\\r\\n]*") ? value : '"' + value.replace("\"", "\"\"") + '"';
    }

    /** Without what would end a cell, a row or a list item of Markdown. */
    static String markdown(String text) {
        return text.replace("|", "\\|").replaceAll("\\s+", " ");
    }
}
