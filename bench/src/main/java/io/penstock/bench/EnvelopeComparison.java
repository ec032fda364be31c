package io.penstock.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * A whole load into an index that the load itself makes: as it comes, under the envelope, and with an inferred mapping.
 */
@Command(name = "envelope", description = "Whole loads with and without the envelope and --mapping infer.")
final class EnvelopeComparison implements Callable<Integer> {
    private static final Map<String, List<String>> SIDES = new LinkedHashMap<>();

    static {
        SIDES.put("neither", List.of("--keep-settings"));
        SIDES.put("envelope", List.of());
        SIDES.put("--mapping infer", List.of("--keep-settings", "--mapping", "infer"));
        SIDES.put("envelope and infer", List.of("--mapping", "infer"));
    }

    @Mixin
    private Settings settings = new Settings();

    @Override
    public Integer call() throws Exception {
        Path file = settings.workload().documents(settings.quick ? 500_000 : 2_000_000);
        Path warmUp = settings.workload().documents(200_000);
        Report report = settings.report("envelope");
        Map<String, List<Double>> seconds = new LinkedHashMap<>();
        try (Servers servers = settings.start(Servers.Shape.ONE_SHARD)) {
            Loads loads = settings.loads(servers);
            loads.penstock(warmUp);
            for (int round = 1; round <= settings.rounds(); round++) {
                for (Map.Entry<String, List<String>> side : SIDES.entrySet()) {
                    Child.Outcome outcome = loads.intoNewIndex(file, side.getValue());
                    seconds.computeIfAbsent(side.getKey(), any -> new ArrayList<>())
                            .add(Loads.totalSeconds(outcome));
                }
                Settings.progress("round %d: %s".formatted(round, seconds));
            }
        }
        Spread neither = new Spread(seconds.getOrDefault("neither", List.of()));
        for (Map.Entry<String, List<Double>> side : seconds.entrySet()) {
            report.add("seconds, " + side.getKey(), new Spread(side.getValue()), 1);
        }
        for (Map.Entry<String, List<Double>> side : seconds.entrySet()) {
            report.add(
                    "times as fast as neither, " + side.getKey(),
                    Spread.ratios(neither, new Spread(side.getValue())),
                    2);
        }
        report.publish(settings.results(), System.out);
        return 0;
    }
}
