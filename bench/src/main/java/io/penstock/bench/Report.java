package io.penstock.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One experiment's result: a table for people, and every single value for whoever wants to reckon again. */
final class Report {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String experiment;
    private final Map<String, String> circumstances = new LinkedHashMap<>();
    private final List<List<String>> rows = new ArrayList<>();
    private final Map<String, Spread> measured = new LinkedHashMap<>();
    private final List<String> verdicts = new ArrayList<>();
    private final Instant began = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    Report(String experiment, Map<String, String> circumstances) {
        this.experiment = experiment;
        this.circumstances.put("began", began.toString());
        this.circumstances.putAll(circumstances);
        rows.add(List.of("measured", "median", "min", "max"));
    }

    /** Something more about how it was measured. */
    void circumstance(String what, String value) {
        circumstances.put(what, value);
    }

    void add(String what, Spread spread, int decimals) {
        measured.put(what, spread);
        var row = new ArrayList<>(List.of(what));
        row.addAll(spread.cells(decimals));
        rows.add(row);
    }

    /** A sentence below the table, such as whether a target was met. */
    void say(String sentence) {
        verdicts.add(sentence);
    }

    void atLeast(String what, double value, double target) {
        say("%s: %s, target at least %s: %s"
                .formatted(what, Spread.text(value, 2), Spread.text(target, 2), value >= target ? "met" : "MISSED"));
    }

    void atMost(String what, double value, double target) {
        say("%s: %s, target at most %s: %s"
                .formatted(what, Spread.text(value, 2), Spread.text(target, 2), value <= target ? "met" : "MISSED"));
    }

    String markdown() {
        var text = new StringBuilder("# " + experiment + "\n\n");
        circumstances.forEach((name, value) ->
                text.append("- ").append(name).append(": ").append(value).append('\n'));
        text.append('\n');
        for (int i = 0; i < rows.size(); i++) {
            text.append("| ").append(String.join(" | ", rows.get(i))).append(" |\n");
            if (i == 0) {
                text.append("|---|---:|---:|---:|\n");
            }
        }
        text.append('\n');
        verdicts.forEach(verdict -> text.append(verdict).append("\n\n"));
        return text.toString();
    }

    /** Prints the table and keeps it, with all values, in the folder. */
    void publish(Path folder, PrintStream out) throws IOException {
        ObjectNode json = JSON.createObjectNode().put("experiment", experiment);
        circumstances.forEach(json.putObject("circumstances")::put);
        ObjectNode values = json.putObject("measured");
        measured.forEach((what, spread) -> values.set(what, JSON.valueToTree(spread.values())));
        json.set("verdicts", JSON.valueToTree(verdicts));
        String name = began.toString().replace(":", "") + "-" + experiment;
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(name + ".json"), json.toPrettyString() + "\n", StandardCharsets.UTF_8);
        Files.writeString(folder.resolve(name + ".md"), markdown(), StandardCharsets.UTF_8);
        out.println(markdown());
        out.println("kept in " + folder.resolve(name + ".md") + " and .json");
    }
}
