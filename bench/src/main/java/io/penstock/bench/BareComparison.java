package io.penstock.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Penstock beside the bare loader, in turns, each with server ids and with ids of its own. */
@Command(name = "bare", description = "Throughput of Penstock beside a bare loader of 5 MiB x 4.")
final class BareComparison implements Callable<Integer> {
    private static final double TARGET = 0.95;

    @Mixin
    private Settings settings = new Settings();

    @Option(names = "--shards", paramLabel = "1|5", defaultValue = "1", description = "Shards. Default: 1.")
    private int shards = 1;

    @Override
    public Integer call() throws Exception {
        Path file = settings.workload().documents(settings.quick ? 500_000 : 5_000_000);
        Path warmUp = settings.workload().documents(200_000);
        Report report = settings.report("bare");
        List<Double> ours = new ArrayList<>();
        List<Double> oursServerIds = new ArrayList<>();
        List<Double> bare = new ArrayList<>();
        List<Double> bareWithIds = new ArrayList<>();
        try (Servers servers = settings.start(shards == 5 ? Servers.Shape.FIVE_SHARDS : Servers.Shape.ONE_SHARD)) {
            Loads loads = settings.loads(servers);
            loads.penstock(warmUp);
            for (int round = 1; round <= settings.rounds(); round++) {
                ours.add(Loads.docsPerSecond(loads.penstock(file)));
                bare.add(bareRate(loads.bare(file, true)));
                oursServerIds.add(Loads.docsPerSecond(loads.penstock(file, "--ids", "server")));
                bareWithIds.add(bareRate(loads.bare(file, false)));
                Settings.progress(
                        "round %d: penstock %,.0f, bare %,.0f, penstock --ids server %,.0f, bare with ids %,.0f docs/s"
                                .formatted(
                                        round,
                                        ours.getLast(),
                                        bare.getLast(),
                                        oursServerIds.getLast(),
                                        bareWithIds.getLast()));
            }
        }
        report.add("docs/s, penstock", new Spread(ours), 0);
        report.add("docs/s, penstock --ids server", new Spread(oursServerIds), 0);
        report.add("docs/s, bare, server ids", new Spread(bare), 0);
        report.add("docs/s, bare, sequential ids", new Spread(bareWithIds), 0);
        Spread whole = Spread.ratios(new Spread(ours), new Spread(bare));
        report.add("penstock / bare, round by round", whole, 3);
        report.add("the same, both with server ids", Spread.ratios(new Spread(oursServerIds), new Spread(bare)), 3);
        report.add("the same, both with ids", Spread.ratios(new Spread(ours), new Spread(bareWithIds)), 3);
        report.add("what ids cost the bare loader", Spread.ratios(new Spread(bareWithIds), new Spread(bare)), 3);
        report.atLeast("penstock / bare", whole.median(), TARGET);
        report.publish(settings.results(), System.out);
        return 0;
    }

    private static double bareRate(Child.Outcome outcome) {
        return outcome.output().path("docsPerSecond").asDouble();
    }
}
