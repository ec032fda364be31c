package io.penstock.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * The automatic window beside the best fixed one. First every fixed window runs for a short while; then the best and
 * the automatic one take turns, both measured after the same 20 s, so that neither the luck that made one cell the best
 * nor the growth of the index falls on one side.
 */
@Command(name = "window", description = "The automatic window beside the best of a grid of fixed ones.")
final class WindowGrid implements Callable<Integer> {
    private static final double TARGET = 0.95;
    private static final double CELL_WARM_SECONDS = 5;
    private static final double DUEL_WARM_SECONDS = 20;

    private record Cell(String bulkBytes, int concurrency) {
        String[] options() {
            return new String[] {"--bulk-bytes", bulkBytes, "--concurrency", Integer.toString(concurrency)};
        }

        @Override
        public String toString() {
            return bulkBytes + " x " + concurrency;
        }
    }

    @Mixin
    private Settings settings = new Settings();

    @Parameters(
            arity = "0..*",
            paramLabel = "SHAPE",
            description = "one-shard, five-shards, three-nodes or queue-4. Default: all.")
    private List<String> shapes = List.of();

    @Override
    public Integer call() throws Exception {
        for (Servers.Shape shape : List.of(
                Servers.Shape.ONE_SHARD, Servers.Shape.FIVE_SHARDS, Servers.Shape.THREE_NODES, Servers.Shape.QUEUE_4)) {
            if (shapes.isEmpty() || shapes.contains(shape.name())) {
                measure(shape);
            }
        }
        return 0;
    }

    private void measure(Servers.Shape shape) throws IOException, InterruptedException {
        Path file = settings.workload().documents(settings.quick ? 2_000_000 : 5_000_000);
        Report report = settings.report("window-" + shape.name());
        try (Servers servers = settings.start(shape)) {
            Loads loads = settings.loads(servers);
            Settings.progress("warming up");
            loads.penstockFor(Duration.ofSeconds(15), file);
            Cell best = grid(loads, file, report);
            duel(loads, file, best, report);
        }
        report.publish(settings.results(), System.out);
    }

    private Cell grid(Loads loads, Path file, Report report) throws IOException, InterruptedException {
        // Progress comes every 5 s: this has the readings at 5 and 10 s, or also at 15.
        Duration time = Duration.ofSeconds(settings.quick ? 12 : 17);
        Map<Cell, Double> rates = new LinkedHashMap<>();
        for (Cell cell : cells()) {
            rates.put(
                    cell,
                    Loads.docsPerSecond(
                            loads.penstockFor(time, file, cell.options()).progress(), CELL_WARM_SECONDS));
            Settings.progress("%s: %,.0f docs/s".formatted(cell, rates.get(cell)));
            report.add("docs/s, " + cell, new Spread(List.of(rates.get(cell))), 0);
        }
        return rates.entrySet().stream()
                .max(Comparator.comparingDouble(Map.Entry::getValue))
                .orElseThrow()
                .getKey();
    }

    private List<Cell> cells() {
        List<String> sizes =
                settings.quick ? List.of("1MiB", "5MiB") : List.of("256KiB", "1MiB", "2MiB", "5MiB", "10MiB");
        List<Integer> concurrencies = settings.quick ? List.of(2, 4, 8) : List.of(1, 2, 4, 8, 16);
        return sizes.stream()
                .flatMap(size -> concurrencies.stream().map(concurrency -> new Cell(size, concurrency)))
                .toList();
    }

    private void duel(Loads loads, Path file, Cell best, Report report) throws IOException, InterruptedException {
        Duration time = Duration.ofSeconds(settings.quick ? 33 : 43);
        List<Double> automatic = new ArrayList<>();
        List<Double> fixed = new ArrayList<>();
        for (int round = 1; round <= settings.rounds(); round++) {
            // A, B, then B, A: what a load leaves to the next one, such as pages to write back, falls on both.
            boolean fixedFirst = round % 2 == 0;
            if (fixedFirst) {
                fixed.add(Loads.docsPerSecond(
                        loads.penstockFor(time, file, best.options()).progress(), DUEL_WARM_SECONDS));
            }
            Child.Outcome auto = loads.penstockFor(time, file);
            automatic.add(Loads.docsPerSecond(auto.progress(), DUEL_WARM_SECONDS));
            if (!fixedFirst) {
                fixed.add(Loads.docsPerSecond(
                        loads.penstockFor(time, file, best.options()).progress(), DUEL_WARM_SECONDS));
            }
            Settings.progress("round %d: automatic %,.0f (%s), %s %,.0f docs/s"
                    .formatted(
                            round,
                            automatic.getLast(),
                            auto.progress().getLast().path("window").asText(),
                            best,
                            fixed.getLast()));
        }
        report.add("docs/s after 20 s, automatic", new Spread(automatic), 0);
        report.add("docs/s after 20 s, best cell " + best, new Spread(fixed), 0);
        Spread ratio = Spread.ratios(new Spread(automatic), new Spread(fixed));
        report.add("automatic / best cell, round by round", ratio, 3);
        report.atLeast("automatic / best cell", ratio.median(), TARGET);
    }
}
