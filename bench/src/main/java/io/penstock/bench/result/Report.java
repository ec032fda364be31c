package io.penstock.bench.result;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.bench.experiment.Cell;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.Measure;
import io.penstock.bench.trial.TrialResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What people read: {@code report.md}, {@code report.html}, a table as CSV. */
public final class Report {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String RESOURCES = "/io/penstock/bench/report/";

    private Report() {}

    /** Writes all of them beside {@code result.json}. */
    public static void write(Result result, Path folder) throws IOException {
        ResultFile.write(result, folder);
        Files.writeString(folder.resolve("report.md"), markdown(result), StandardCharsets.UTF_8);
        Files.writeString(folder.resolve("report.html"), html(result), StandardCharsets.UTF_8);
    }

    /** For a terminal: the tables with their columns below each other. */
    public static String text(Result result) {
        var text = new StringBuilder(result.summary()).append("\n");
        for (Table table : Table.of(result)) {
            text.append('\n').append(table.title()).append('\n').append(table.text());
        }
        return text.append(remarks(result).replace("## ", "\n")).toString();
    }

    /** For a repository, an issue. */
    public static String markdown(Result result) {
        Experiment experiment = result.experiment();
        var text = new StringBuilder("# %s\n\n%s\n\n".formatted(experiment.name(), experiment.question()));
        if (result.isRough()) {
            text.append("**A first look: short runs or few rounds, so that the figures are rough.**\n\n");
        }
        text.append(result.summary()).append("\n\n");
        for (Table table : Table.of(result)) {
            text.append("## ")
                    .append(table.title())
                    .append("\n\n")
                    .append(table.markdown())
                    .append('\n');
        }
        text.append(remarks(result));
        if (!experiment.about().isEmpty()) {
            text.append("## About\n\n").append(experiment.about()).append("\n\n");
        }
        text.append("## Circumstances\n\n");
        result.circumstances().forEach((name, value) -> text.append("- %s: %s\n".formatted(name, value)));
        text.append("- again: `%s`\n".formatted(result.command()));
        return text.toString();
    }

    private static String remarks(Result result) {
        List<TrialResult> unusable = result.unusable();
        if (unusable.isEmpty()) {
            return "";
        }
        var text = new StringBuilder("## Not counted\n\n");
        unusable.forEach(trial -> text.append("- %s, round %d: %s\n"
                .formatted(
                        Table.markdown(trial.cell()),
                        trial.round(),
                        Table.markdown(trial.unusable().orElse("")))));
        return text.append('\n').toString();
    }

    /** For a spreadsheet: one line for each cell and measure. */
    public static String csv(Result result) {
        var text = new StringBuilder("measure,cell,rounds,median,low,high,ratio,ratio_low,ratio_high\n");
        for (Measure measure : result.experiment().measures()) {
            for (Cell cell : result.experiment().cells()) {
                Optional<Interval> ratio = result.ratio(cell, measure);
                result.of(cell, measure)
                        .ifPresent(interval -> text.append(Table.csv(
                                measure.key(),
                                cell.name(),
                                interval.count(),
                                interval.median(),
                                interval.low(),
                                interval.high(),
                                ratio.<Object>map(Interval::median).orElse(""),
                                ratio.<Object>map(Interval::low).orElse(""),
                                ratio.<Object>map(Interval::high).orElse(""))));
            }
        }
        return text.toString();
    }

    /** One file that needs no network: everything is in it. */
    public static String html(Result result) throws IOException {
        return resource(RESOURCES + "report.html")
                .replace("/*UPLOT_CSS*/", resource(RESOURCES + "uPlot.min.css"))
                .replace("/*UPLOT_JS*/", resource(RESOURCES + "uPlot.iife.min.js"))
                .replace("/*REPORT_CSS*/", resource(RESOURCES + "report.css"))
                .replace("/*REPORT_JS*/", resource(RESOURCES + "report.js"))
                // In a script nothing may look like a tag or a comment.
                .replace("\"REPORT_DATA\"", data(result).replace("<", "\\u003c"));
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Report.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException(name + " is not packaged");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String data(Result result) throws IOException {
        Experiment experiment = result.experiment();
        ObjectNode json = JSON.createObjectNode()
                .put("name", experiment.name())
                .put("question", experiment.question())
                .put("about", experiment.about())
                .put("summary", result.summary())
                .put("rough", result.isRough())
                .put("command", result.command());
        result.circumstances().forEach(json.putObject("circumstances")::put);
        ArrayNode tables = json.putArray("tables");
        for (Table table : Table.of(result)) {
            tables.addObject().put("title", table.title()).set("rows", JSON.valueToTree(table.rows()));
        }
        ArrayNode notCounted = json.putArray("notCounted");
        result.unusable()
                .forEach(trial -> notCounted.add("%s, round %d: %s"
                        .formatted(trial.cell(), trial.round(), trial.unusable().orElse(""))));
        ArrayNode cells = json.putArray("cells");
        for (Cell cell : experiment.cells()) {
            ObjectNode one = cells.addObject().put("name", cell.name());
            ArrayNode rounds = one.putArray("rounds");
            for (TrialResult trial : result.usable(cell.name())) {
                ObjectNode round =
                        rounds.addObject().put("round", trial.round()).put("note", trial.note());
                round.set("quantiles", JSON.valueToTree(trial.quantiles()));
                round.set("series", JSON.valueToTree(trial.series()));
            }
        }
        return JSON.writeValueAsString(json);
    }
}
