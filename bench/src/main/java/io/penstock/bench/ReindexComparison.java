package io.penstock.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code penstock reindex}, whole, beside the server's own request with {@code slices=auto} and a refresh. */
@Command(name = "reindex", description = "penstock reindex beside a bare _reindex with slices=auto.")
final class ReindexComparison implements Callable<Integer> {
    private static final double TARGET = 1.5;
    private static final String SOURCE = "bench-source";
    private static final String COPY = "bench-copy";

    @Mixin
    private Settings settings = new Settings();

    @Option(names = "--shards", paramLabel = "1|5", defaultValue = "1", description = "Shards. Default: 1.")
    private int shards = 1;

    @Override
    public Integer call() throws Exception {
        Path file = settings.workload().documents(settings.quick ? 500_000 : 2_000_000);
        Report report = settings.report("reindex");
        List<Double> ours = new ArrayList<>();
        List<Double> bare = new ArrayList<>();
        try (Servers servers = settings.start(shards == 5 ? Servers.Shape.FIVE_SHARDS : Servers.Shape.ONE_SHARD)) {
            Loads loads = settings.loads(servers);
            servers.freshIndex(SOURCE, "default");
            loads.command("load", file.toString(), "--index", SOURCE, "--format", "ndjson");
            for (int round = 0; round <= settings.rounds(); round++) {
                servers.freshIndex(COPY, "default");
                double bareSeconds = servers.reindex(SOURCE, COPY);
                servers.dropIndex(COPY);
                double ourSeconds = Loads.totalSeconds(loads.command("reindex", SOURCE, "--index", COPY));
                servers.dropIndex(COPY);
                if (round > 0) { // the first only warms the server
                    bare.add(bareSeconds);
                    ours.add(ourSeconds);
                    Settings.progress(
                            "round %d: bare %.1f s, penstock %.1f s".formatted(round, bareSeconds, ourSeconds));
                }
            }
            servers.dropIndex(SOURCE);
        }
        report.add("seconds, bare _reindex, slices=auto", new Spread(bare), 1);
        report.add("seconds, penstock reindex, all of it", new Spread(ours), 1);
        Spread ratio = Spread.ratios(new Spread(bare), new Spread(ours));
        report.add("times as fast as bare, round by round", ratio, 2);
        report.atLeast("times as fast as bare", ratio.median(), TARGET);
        report.publish(settings.results(), System.out);
        return 0;
    }
}
