package io.penstock.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command {@code bench/run}. */
@Command(
        name = "bench/run",
        description = "Measures the load engine and the plugin on real local servers. See docs/benchmarks.md.",
        mixinStandardHelpOptions = true,
        subcommands = {
            ClientCost.class,
            BareComparison.class,
            WindowGrid.class,
            EnvelopeComparison.class,
            ReindexComparison.class,
            SmallBulks.class
        })
final class Bench implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    private Bench() {}

    public static void main(String[] args) {
        System.exit(new CommandLine(new Bench()).execute(args));
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                spec.commandLine(), "say what to measure: client-cost, bare, window, envelope, reindex or small-bulks");
    }
}
