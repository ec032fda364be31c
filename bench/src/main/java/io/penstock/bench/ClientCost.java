package io.penstock.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * What a load costs where Penstock runs. The difference between a long and a short load leaves out what every start
 * costs: the JVM, compiling, connecting.
 */
@Command(name = "client-cost", description = "CPU of Penstock for each million documents, and its memory.")
final class ClientCost implements Callable<Integer> {
    private static final double CPU_SECONDS_TARGET = 2.0;
    private static final double MEGABYTES_TARGET = 300;
    private static final double MILLION = 1e6;

    @Mixin
    private Settings settings = new Settings();

    @Override
    public Integer call() throws Exception {
        long few = settings.quick ? 200_000 : 1_000_000;
        long many = settings.quick ? 1_000_000 : 5_000_000;
        WorkloadFiles workload = settings.workload();
        Path shortFile = workload.documents(few);
        Path longFile = workload.documents(many);
        Report report = settings.report("client-cost");
        List<Double> perMillion = new ArrayList<>();
        List<Double> shortMegabytes = new ArrayList<>();
        List<Double> longMegabytes = new ArrayList<>();
        try (Servers servers = settings.start(Servers.Shape.ONE_SHARD)) {
            Loads loads = settings.loads(servers);
            loads.penstock(shortFile); // warms the server
            for (int round = 1; round <= settings.rounds(); round++) {
                Child.Outcome little = loads.penstock(shortFile);
                Child.Outcome much = loads.penstock(longFile);
                perMillion.add((much.cpuSeconds() - little.cpuSeconds()) / ((many - few) / MILLION));
                shortMegabytes.add(little.peakBytes() / MILLION);
                longMegabytes.add(much.peakBytes() / MILLION);
                Settings.progress("round %d: %.2f and %.2f CPU-s, %.0f and %.0f MB, %,.0f docs/s"
                        .formatted(
                                round,
                                little.cpuSeconds(),
                                much.cpuSeconds(),
                                little.peakBytes() / MILLION,
                                much.peakBytes() / MILLION,
                                Loads.docsPerSecond(much)));
            }
            if (!settings.quick) {
                Child.Outcome most = loads.penstock(workload.documents(20_000_000));
                longMegabytes.add(most.peakBytes() / MILLION);
            }
        }
        var cpu = new Spread(perMillion);
        var memory = new Spread(longMegabytes);
        report.add("CPU-s per million documents", cpu, 2);
        report.add("peak RSS, MB, %,d documents".formatted(few), new Spread(shortMegabytes), 0);
        report.add("peak RSS, MB, %,d documents%s".formatted(many, settings.quick ? "" : " and once 20M"), memory, 0);
        report.atMost("CPU-s per million documents", cpu.median(), CPU_SECONDS_TARGET);
        report.atMost("largest RSS, MB", memory.max(), MEGABYTES_TARGET);
        report.publish(settings.results(), System.out);
        return 0;
    }
}
