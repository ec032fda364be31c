package io.penstock.bench;

import io.penstock.bench.experiment.Cell;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.Measure;
import io.penstock.bench.experiment.Setup;
import io.penstock.bench.result.Report;
import io.penstock.bench.result.Result;
import io.penstock.bench.result.ResultFile;
import io.penstock.bench.trial.Trial;
import io.penstock.bench.trial.TrialResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Runs an experiment round by round. In a round each cell has its turn, in an order that differs from round to round,
 * so that the drift of a machine does not look like an effect. After each run everything so far is written, so that an
 * interrupted experiment has a report and can be gone on with.
 */
public final class ExperimentRun {
    /** What a run needs beside its load, in seconds: index, counting, files; measured on two cores. */
    private static final double OVERHEAD_SECONDS = 3;

    private static final double SERVER_START_SECONDS = 30;

    /** Of a run when it has ended; all of them are in the report. */
    private static final int MEASURES_TOLD = 3;

    /** For runs of a number of documents, until one has shown how long they take. */
    private static final double WHOLE_LOAD_SECONDS = 20;

    private final Experiment experiment;
    private final boolean quick;
    private final Path folder;
    private final Map<String, String> circumstances;
    private final String command;
    private final Listener listener;
    private final BooleanSupplier stopped;
    private final List<TrialResult> trials = new ArrayList<>();
    private final List<Double> seconds = new ArrayList<>();

    /** Hears how it goes. */
    public interface Listener {
        /** One line for people. */
        void onLine(String line);

        /** A run begins: what runs now, and how long the rest may take. */
        void onRun(int round, int rounds, Cell cell, Duration left);
    }

    /**
     * @param folder for the results
     * @param circumstances what a reader of the results should know of machine and versions
     * @param command what to type to have it again
     * @param stopped whether to end after what is under way
     */
    public ExperimentRun(
            Experiment experiment,
            boolean quick,
            Path folder,
            Map<String, String> circumstances,
            String command,
            Listener listener,
            BooleanSupplier stopped) {
        this.experiment = experiment;
        this.quick = quick;
        this.folder = folder;
        this.circumstances = new LinkedHashMap<>(circumstances);
        this.command = command;
        this.listener = listener;
        this.stopped = stopped;
    }

    /**
     * Goes on with an earlier result of the same experiment on the same cluster. Rounds that were not finished are
     * measured anew: what is compared with each other belongs into one round.
     *
     * @throws BenchException if it is of another one
     */
    public void resume(Result earlier) {
        if (!earlier.experiment().text().equals(experiment.text()) || earlier.quick() != quick) {
            throw BenchException.usage(
                    "the result to go on with is of another experiment than '%s'%s: run it anew without --resume"
                            .formatted(experiment.name(), quick ? " with --quick" : ""));
        }
        String there = earlier.circumstances().getOrDefault("cluster", "");
        if (!there.equals(circumstances.get("cluster"))) {
            throw BenchException.usage(
                    "the result to go on with was measured on %s, and this is %s: run it anew without --resume"
                            .formatted(there, circumstances.get("cluster")));
        }
        for (int round = 1; round <= experiment.rounds(); round++) {
            int number = round;
            List<TrialResult> all = earlier.trials().stream()
                    .filter(trial -> trial.round() == number)
                    .toList();
            if (isComplete(all)) {
                trials.addAll(all);
            }
        }
        circumstances.put("began", earlier.circumstances().getOrDefault("began", ""));
    }

    private boolean isComplete(List<TrialResult> round) {
        boolean all = experiment.cells().stream()
                .allMatch(cell -> round.stream().anyMatch(trial -> trial.cell().equals(cell.name())));
        return all || round.stream().anyMatch(this::crossesTheBound);
    }

    private boolean crossesTheBound(TrialResult trial) {
        return trial.values().getOrDefault(Measure.REJECTED_PERCENT, 0.0) > experiment.untilRejectedPercent();
    }

    /** How much there is to do, in words. */
    public String plan() {
        return "%s: %d %s x %d %s, about %s"
                .formatted(
                        experiment.name(),
                        experiment.cells().size(),
                        experiment.cells().size() == 1 ? "cell" : "cells",
                        experiment.rounds(),
                        experiment.rounds() == 1 ? "round" : "rounds",
                        words(left(1, 0)));
    }

    /** Does it all; what was measured so far if it is stopped. The report is written in any case. */
    public Result run(Trial trial) throws IOException, InterruptedException {
        try {
            for (int round = 1; round <= experiment.rounds() && !stopped.getAsBoolean(); round++) {
                int number = round;
                if (trials.stream().noneMatch(done -> done.round() == number)) {
                    round(trial, round);
                }
            }
        } finally {
            Report.write(result(), folder);
        }
        return result();
    }

    private void round(Trial trial, int round) throws IOException, InterruptedException {
        List<Cell> order = order(round);
        for (int i = 0; i < order.size() && !stopped.getAsBoolean(); i++) {
            Cell cell = order.get(i);
            listener.onRun(round, experiment.rounds(), cell, left(round, i));
            long from = System.nanoTime();
            TrialResult result = trial.run(cell, round);
            if (result.unusable().isPresent() && !stopped.getAsBoolean()) {
                listener.onLine("%s: once more, as this run does not count: %s"
                        .formatted(cell.name(), result.unusable().get()));
                trials.add(result);
                result = trial.run(cell, round);
            }
            if (stopped.getAsBoolean() && result.unusable().isPresent()) {
                return;
            }
            seconds.add((System.nanoTime() - from) / 1e9);
            trials.add(result);
            ResultFile.writeTrials(result(), folder);
            listener.onLine(line(round, result));
            boolean last = cell.group().isEmpty()
                    || i + 1 == order.size()
                    || !order.get(i + 1).group().equals(cell.group());
            if (last && trials.stream().anyMatch(done -> done.round() == round && crossesTheBound(done))) {
                listener.onLine("the bound of rejected documents is crossed: more is not tried in this round");
                return;
            }
        }
    }

    private List<Cell> order(int round) {
        List<Cell> order = new ArrayList<>(experiment.cells());
        if (experiment.shuffled()) {
            var random = new Random(experiment.seed() * 31 + round);
            Collections.shuffle(order, random);
            // Servers take longer to start than most runs: cells that share them stay together.
            List<Setup.Servers> servers = new ArrayList<>(order.stream()
                    .map(cell -> cell.setup().servers())
                    .distinct()
                    .toList());
            Collections.shuffle(servers, random);
            order.sort(
                    Comparator.comparingInt(cell -> servers.indexOf(cell.setup().servers())));
        }
        return order;
    }

    private Result result() {
        return new Result(experiment, quick, circumstances, command, trials);
    }

    private String line(int round, TrialResult result) {
        if (result.unusable().isPresent()) {
            return "round %d, %s: does not count: %s"
                    .formatted(round, result.cell(), result.unusable().get());
        }
        List<String> values = new ArrayList<>();
        for (Measure measure : experiment.measures()) {
            Double value = result.values().get(measure);
            if (value != null && values.size() < MEASURES_TOLD) {
                values.add(measure.sentence(value));
            }
        }
        String note = result.note().isEmpty() ? "" : " (" + result.note() + ")";
        return "round %d, %s: %s%s".formatted(round, result.cell(), String.join(", ", values), note);
    }

    /** How long the rest takes, from what runs have taken so far, or what they must take. */
    private Duration left(int round, int done) {
        double runs =
                (double) (experiment.rounds() - round + 1) * experiment.cells().size() - done;
        double each = seconds.isEmpty()
                ? experiment.cells().stream()
                                .mapToDouble(cell -> cell.setup().loadSeconds().orElse(WHOLE_LOAD_SECONDS))
                                .average()
                                .orElse(0)
                        + OVERHEAD_SECONDS
                : seconds.stream().mapToDouble(Double::doubleValue).average().orElse(0);
        long sets = experiment.cells().stream()
                .map(cell -> cell.setup().servers())
                .distinct()
                .count();
        double starts = sets == 1 ? (seconds.isEmpty() ? 1 : 0) : sets * (experiment.rounds() - round + 1.0);
        return Duration.ofSeconds((long) (runs * each + (seconds.isEmpty() ? starts * SERVER_START_SECONDS : 0)));
    }

    /** A duration as people say it. */
    public static String words(Duration duration) {
        long seconds = duration.toSeconds();
        return seconds < 90
                ? seconds + " s"
                : seconds < 5_400 ? (seconds + 30) / 60 + " min" : "%.1f h".formatted(seconds / 3_600.0);
    }
}
