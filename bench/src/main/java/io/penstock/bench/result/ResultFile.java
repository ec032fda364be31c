package io.penstock.bench.result;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.bench.BenchException;
import io.penstock.bench.experiment.Cell;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.ExperimentFile;
import io.penstock.bench.experiment.Measure;
import io.penstock.bench.trial.TrialResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Results as JSON: {@code result.json}, whose format docs/bench.md describes. */
public final class ResultFile {
    /** Changes when a reader of older files would be misled. */
    private static final int SCHEMA = 1;

    private static final String NAME = "result.json";
    private static final ObjectMapper JSON = new ObjectMapper();

    private ResultFile() {}

    /** Writes it, so that at any moment there is a whole one. */
    public static void write(Result result, Path folder) throws IOException {
        write(json(result), folder);
    }

    /** The same without what can be reckoned from the trials: between two runs, time is better spent on the next. */
    public static void writeTrials(Result result, Path folder) throws IOException {
        write(JSON.writerWithDefaultPrettyPrinter().writeValueAsString(trials(result)), folder);
    }

    private static void write(String json, Path folder) throws IOException {
        Files.createDirectories(folder);
        Path part = folder.resolve(NAME + ".part");
        Files.writeString(part, json + "\n", StandardCharsets.UTF_8);
        Files.move(part, folder.resolve(NAME), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /**
     * Reads one.
     *
     * @param place the file, or its folder
     * @throws BenchException if it is none
     */
    public static Result read(Path place) {
        Path file = Files.isDirectory(place) ? place.resolve(NAME) : place;
        try {
            JsonNode json = JSON.readTree(Files.readString(file));
            if (json.path("schema").asInt() != SCHEMA) {
                throw BenchException.usage("%s is no result that this version of Penstock can read".formatted(file));
            }
            boolean quick = json.path("quick").asBoolean();
            Experiment experiment = ExperimentFile.parse(
                    json.path("experiment").asText(), json.path("file").asText(), quick);
            return new Result(
                    experiment,
                    quick,
                    texts(json.path("circumstances")),
                    json.path("command").asText(),
                    trials(json.path("trials")));
        } catch (NoSuchFileException e) {
            throw BenchException.usage("there is no result %s: a run says where its report is".formatted(file));
        } catch (IOException e) {
            throw BenchException.usage("the result %s cannot be read: %s".formatted(file, e.getMessage()));
        }
    }

    /** As {@code result.json} has it. */
    public static String json(Result result) throws IOException {
        ObjectNode json = trials(result).put("summary", result.summary());
        ArrayNode cells = json.putArray("cells");
        for (Cell cell : result.experiment().cells()) {
            ObjectNode one = cells.addObject()
                    .put("name", cell.name())
                    .put("baseline", result.experiment().baselineOf(cell).name());
            cell.varied().forEach(one.putObject("varied")::put);
            ObjectNode measured = one.putObject("measured");
            for (Measure measure : Measure.values()) {
                result.of(cell, measure).ifPresent(interval -> {
                    ObjectNode values = interval(interval, measured.putObject(measure.key()));
                    result.ratio(cell, measure).ifPresent(ratio -> interval(ratio, values.putObject("ratio")));
                });
            }
        }
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json);
    }

    private static ObjectNode trials(Result result) {
        ObjectNode json = JSON.createObjectNode()
                .put("schema", SCHEMA)
                .put("experiment", result.experiment().name())
                .put("question", result.experiment().question())
                .put("quick", result.quick())
                .put("command", result.command());
        result.circumstances().forEach(json.putObject("circumstances")::put);
        ArrayNode trials = json.putArray("trials");
        result.trials().forEach(trial -> trial(trial, trials.addObject()));
        return json.put("file", result.experiment().text());
    }

    private static ObjectNode interval(Interval interval, ObjectNode to) {
        return to.put("median", rounded(interval.median()))
                .put("low", rounded(interval.low()))
                .put("high", rounded(interval.high()))
                .put("rounds", interval.count());
    }

    private static double rounded(double value) {
        return value == 0 ? 0 : Double.parseDouble(String.format(Locale.ROOT, "%.5g", value));
    }

    private static void trial(TrialResult trial, ObjectNode to) {
        to.put("cell", trial.cell()).put("round", trial.round());
        trial.unusable().ifPresent(why -> to.put("unusable", why));
        if (!trial.note().isEmpty()) {
            to.put("note", trial.note());
        }
        ObjectNode values = to.putObject("values");
        trial.values().forEach((measure, value) -> values.put(measure.key(), rounded(value)));
        pairs(trial.quantiles(), to.putArray("quantiles_ms"));
        ObjectNode series = to.putObject("series");
        trial.series().forEach((name, points) -> pairs(points, series.putArray(name)));
    }

    private static void pairs(List<double[]> pairs, ArrayNode to) {
        pairs.forEach(pair -> to.addArray().add(rounded(pair[0])).add(rounded(pair[1])));
    }

    private static List<TrialResult> trials(JsonNode json) {
        List<TrialResult> trials = new ArrayList<>();
        for (JsonNode one : json) {
            var values = new EnumMap<Measure, Double>(Measure.class);
            one.path("values")
                    .properties()
                    .forEach(value -> values.put(
                            Measure.valueOf(value.getKey().toUpperCase(Locale.ROOT)),
                            value.getValue().asDouble()));
            Map<String, List<double[]>> series = new LinkedHashMap<>();
            one.path("series").properties().forEach(each -> series.put(each.getKey(), pairs(each.getValue())));
            trials.add(new TrialResult(
                    one.path("cell").asText(),
                    one.path("round").asInt(),
                    values,
                    pairs(one.path("quantiles_ms")),
                    series,
                    one.path("note").asText(""),
                    Optional.ofNullable(one.path("unusable").asText(null))));
        }
        return trials;
    }

    private static List<double[]> pairs(JsonNode json) {
        List<double[]> pairs = new ArrayList<>();
        json.forEach(pair ->
                pairs.add(new double[] {pair.path(0).asDouble(), pair.path(1).asDouble()}));
        return pairs;
    }

    private static Map<String, String> texts(JsonNode json) {
        Map<String, String> texts = new LinkedHashMap<>();
        json.properties()
                .forEach(each -> texts.put(each.getKey(), each.getValue().asText()));
        return texts;
    }
}
