package io.penstock.bench.result;

import io.penstock.bench.experiment.Cell;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.Measure;
import io.penstock.bench.trial.TrialResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Everything that an experiment has given.
 *
 * @param circumstances machine, versions, times; by name, in the order they are shown
 * @param command what to type to have it again
 * @param trials in the order they were run
 */
public record Result(
        Experiment experiment,
        boolean quick,
        Map<String, String> circumstances,
        String command,
        List<TrialResult> trials) {
    /** So many make an interval of 94%. */
    private static final int ROUNDS_MIN = 5;

    public Result {
        trials = List.copyOf(trials);
    }

    /** What a cell has given, of the rounds that can be used. */
    public List<TrialResult> usable(String cell) {
        return trials.stream()
                .filter(trial -> trial.cell().equals(cell) && trial.unusable().isEmpty())
                .toList();
    }

    /** What cannot be used, and was not made good by another try. */
    public List<TrialResult> unusable() {
        return trials.stream()
                .filter(trial -> trial.unusable().isPresent())
                .filter(trial -> usable(trial.cell()).stream().noneMatch(other -> other.round() == trial.round()))
                .toList();
    }

    /** What was measured of a cell; empty if it was not. */
    public Optional<Interval> of(Cell cell, Measure measure) {
        List<Double> values = values(cell.name(), measure);
        return values.isEmpty() ? Optional.empty() : Optional.of(Interval.ofMedian(values));
    }

    /** Divided by the baseline's in the same round; empty if no round has both, and for the baseline itself. */
    public Optional<Interval> ratio(Cell cell, Measure measure) {
        return experiment.isBaseline(cell)
                ? Optional.empty()
                : ratio(cell.name(), experiment.baselineOf(cell).name(), measure);
    }

    private Optional<Interval> ratio(String cell, String baseline, Measure measure) {
        List<Double> values = new ArrayList<>();
        List<Double> others = new ArrayList<>();
        for (TrialResult trial : usable(cell)) {
            Optional<Double> other = usable(baseline).stream()
                    .filter(candidate -> candidate.round() == trial.round())
                    .map(candidate -> candidate.values().get(measure))
                    .filter(value -> value != null && value != 0)
                    .findFirst();
            Double value = trial.values().get(measure);
            if (value != null && other.isPresent()) {
                values.add(value);
                others.add(other.get());
            }
        }
        return values.isEmpty() ? Optional.empty() : Optional.of(Interval.ofRatios(values, others));
    }

    /** Whether intervals cover less than they say, or runs were short. */
    public boolean isRough() {
        long rounds = trials.stream().map(TrialResult::round).distinct().count();
        return quick || (rounds < ROUNDS_MIN && experiment.cells().size() > 1);
    }

    List<Double> values(String cell, Measure measure) {
        return usable(cell).stream()
                .map(trial -> trial.values().get(measure))
                .filter(value -> value != null)
                .toList();
    }

    /** What a ratio says in words. */
    static String words(Interval ratio, Measure measure) {
        if (ratio.count() < 2) {
            return "one round: nothing is shown";
        }
        if (ratio.covers(1)) {
            return "no difference shown";
        }
        boolean more = ratio.median() > 1;
        return more == measure.moreIsBetter() ? "better" : "worse";
    }

    /** What it says about the first measure, in a sentence. */
    public String summary() {
        Measure measure = experiment.measures().getFirst();
        Map<String, List<String>> verdicts = new LinkedHashMap<>();
        for (Cell cell : experiment.cells()) {
            ratio(cell, measure)
                    .ifPresent(ratio -> verdicts.computeIfAbsent(words(ratio, measure), ignored -> new ArrayList<>())
                            .add("%s (%s)".formatted(cell.name(), times(ratio))));
        }
        if (verdicts.isEmpty()) {
            return alone(measure);
        }
        List<String> parts = new ArrayList<>();
        verdicts.forEach((words, cells) -> parts.add(capital(words) + ": " + String.join("; ", cells)));
        return "%s, times the baseline. %s.%s"
                .formatted(capital(measure.label()), String.join(". ", parts), capacity());
    }

    /** The most that a cell has given without being rejected more than the experiment goes to; with a space before. */
    private String capacity() {
        boolean known = experiment.cells().stream()
                .anyMatch(cell -> of(cell, Measure.REJECTED_PERCENT).isPresent());
        if (experiment.untilRejectedPercent() >= 100 || !known) {
            return "";
        }
        Comparator<Cell> byRate = Comparator.comparingDouble(
                cell -> of(cell, Measure.DOCS_PER_SECOND).orElseThrow().median());
        return experiment.cells().stream()
                .filter(cell -> of(cell, Measure.DOCS_PER_SECOND).isPresent())
                .filter(cell -> of(cell, Measure.REJECTED_PERCENT)
                        .filter(rejected -> rejected.median() <= experiment.untilRejectedPercent())
                        .isPresent())
                .max(byRate)
                .map(cell -> " Capacity: %s documents/s, by %s, the most with at most %s%% rejected."
                        .formatted(
                                Measure.DOCS_PER_SECOND.text(of(cell, Measure.DOCS_PER_SECOND)
                                        .orElseThrow()
                                        .median()),
                                cell.name(),
                                Measure.REJECTED_PERCENT.text(experiment.untilRejectedPercent())))
                .orElse(" Capacity: less than any cell asks for.");
    }

    /** Where there is nothing to compare with. */
    private String alone(Measure measure) {
        List<String> cells = new ArrayList<>();
        for (Cell cell : experiment.cells()) {
            of(cell, measure)
                    .ifPresent(interval -> cells.add("%s: %s (%s to %s)"
                            .formatted(
                                    cell.name(),
                                    measure.text(interval.median()),
                                    measure.text(interval.low()),
                                    measure.text(interval.high()))));
        }
        return cells.isEmpty()
                ? "Nothing could be measured."
                : "%s. %s.%s".formatted(capital(measure.label()), String.join("; ", cells), capacity());
    }

    private static String capital(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    static String span(Interval ratio) {
        return String.format(Locale.ROOT, "%.2f to %.2f", ratio.low(), ratio.high());
    }

    static String times(Interval ratio) {
        return String.format(Locale.ROOT, "%.2f, %s", ratio.median(), span(ratio));
    }
}
