package io.penstock.cli;

import io.penstock.bench.BenchException;
import io.penstock.bench.Circumstances;
import io.penstock.bench.ExperimentRun;
import io.penstock.bench.experiment.Cell;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.ExperimentFile;
import io.penstock.bench.result.Comparison;
import io.penstock.bench.result.Report;
import io.penstock.bench.result.Result;
import io.penstock.bench.result.ResultFile;
import io.penstock.bench.trial.Program;
import io.penstock.bench.trial.Site;
import io.penstock.bench.trial.Trial;
import io.penstock.cluster.ClusterOptions;
import io.penstock.job.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code penstock bench}. */
@Command(
        name = "bench",
        description = "Experiments that show what a setting does on a cluster: repeated, interleaved, with intervals.",
        mixinStandardHelpOptions = true,
        subcommands = {BenchCommand.ListThem.class, BenchCommand.Run.class, BenchCommand.Compare.class},
        footer = {
            "",
            "Examples:",
            "  penstock bench list",
            "  penstock bench run refresh-interval --quick     a first look, in a minute or two",
            "  penstock bench run my.yaml -t https://test:9200 -u me",
            "  penstock bench compare results/before results/after",
            "How to write an experiment, and what is measured: docs/bench.md",
        })
final class BenchCommand implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do: list, run or compare");
    }

    enum Form {
        text,
        json,
        markdown,
        csv
    }

    /** {@code penstock bench list}. */
    @Command(
            name = "list",
            description = "The experiments that come with Penstock.",
            mixinStandardHelpOptions = true,
            footer = {"", "What each of them varies, and how to write others: docs/bench.md"})
    static final class ListThem implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @Override
        public Integer call() {
            PrintWriter out = spec.commandLine().getOut();
            for (String name : ExperimentFile.BUILT_IN) {
                Experiment experiment = ExperimentFile.read(name, false);
                out.printf("%-18s%s%n", name, experiment.question());
            }
            out.println();
            out.println(
                    "'penstock bench run NAME --quick' gives a first look; with FILE.yaml an experiment of your own");
            return 0;
        }
    }

    /** {@code penstock bench run}. */
    @Command(
            name = "run",
            description = {
                "Runs an experiment: on the cluster of --target, or on servers of its own on this machine.",
                "On --target it makes and removes the index penstock-bench. Ctrl-C keeps what was measured."
            },
            mixinStandardHelpOptions = true,
            sortOptions = false,
            abbreviateSynopsis = true,
            footer = {"", "Exit codes: 10 below --fail-below, or nothing could be measured; 130 and 143 after a signal."
            })
    static final class Run implements Callable<Integer> {
        private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @Parameters(paramLabel = "EXPERIMENT", description = "One of 'bench list', or a YAML file.")
        private String name = "";

        @Option(names = "--quick", description = "A first look: short and few runs, rough figures.")
        private boolean quick;

        @Option(
                names = "--rounds",
                paramLabel = "N",
                description = "Rounds. Default: what the experiment says, mostly 5.")
        private @Nullable Integer rounds;

        @Option(
                names = "--results",
                paramLabel = "DIR",
                description = "Where the folder with the report is made. Default: results.")
        private Path results = Path.of("results");

        @Option(names = "--resume", paramLabel = "DIR", description = "Go on with the result in this folder.")
        private @Nullable Path resume;

        @Option(names = "--baseline", paramLabel = "RESULT", description = "Compare with this earlier result.")
        private @Nullable Path baseline;

        @Option(
                names = "--fail-below",
                paramLabel = "RATIO",
                description = "Exit code 10 if a cell is certainly below this multiple of the baseline's.")
        private @Nullable Double failBelow;

        @Option(
                names = "--output",
                paramLabel = "FORM",
                defaultValue = "text",
                description = "Result on standard output: text, json, markdown or csv. Default: text.")
        private Form form = Form.text;

        @Mixin
        private ConnectionOptions connection = new ConnectionOptions();

        @Mixin
        private CommonOptions common = new CommonOptions();

        private final AtomicReference<@Nullable ExitCode> stoppedBy = new AtomicReference<>();

        @Override
        public Integer call() throws IOException, InterruptedException {
            if (failBelow != null && baseline == null) {
                throw new UsageException("--fail-below needs --baseline, the result to compare with");
            }
            Experiment experiment = ExperimentFile.read(name, quick);
            if (rounds != null && rounds < 1) {
                throw new UsageException("--rounds wants a number from 1");
            }
            if (rounds != null) {
                experiment = experiment.withRounds(rounds);
            }
            Optional<Result> earlier = Optional.ofNullable(resume).map(ResultFile::read);
            Optional<Result> before = Optional.ofNullable(baseline).map(ResultFile::read);
            PrintWriter err = spec.commandLine().getErr();
            Signals.handle(stoppedBy::set, err);
            Path folder = resume != null
                    ? resume
                    : results.resolve(experiment.name() + "-"
                            + LocalDateTime.now(ZoneId.systemDefault()).format(STAMP));
            var lines = new Lines(err, common.quiet);
            Result result;
            try (Site site = site(err)) {
                var run = new ExperimentRun(
                        experiment, quick, folder, Circumstances.of(site, version()), again(), lines, this::isStopped);
                site.check(experiment.cells());
                earlier.ifPresent(run::resume);
                say(err, run.plan());
                var program = new Program(words(), connection.words(), connection.secrets());
                var trial = new Trial(
                        site, program, common.stateFolder().resolve("bench"), experiment.seed(), this::isStopped);
                Runnable unwatch = lines.watch(trial);
                try {
                    result = run.run(trial);
                } finally {
                    unwatch.run();
                }
            }
            print(result, folder);
            return exit(result, before, err).number();
        }

        private boolean isStopped() {
            return stoppedBy.get() != null;
        }

        private void say(PrintWriter err, String line) {
            if (!common.quiet) {
                err.println(line);
                err.flush();
            }
        }

        private Site site(PrintWriter err) {
            if (connection.targets.isEmpty()) {
                Path plugin = Path.of(System.getProperty("penstock.plugin", "faster-bulk/target/faster-bulk.zip"));
                return Site.local(common.stateFolder(), plugin, line -> say(err, line));
            }
            ClusterOptions options = connection.options(common, false, err);
            return Site.target(options);
        }

        /** This program once more, with the options of this JVM. */
        private static List<String> words() {
            List<String> words = new ArrayList<>();
            words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                    .filter(option -> !option.startsWith("-Dpenstock.terminal"))
                    .forEach(words::add);
            words.add("-Dpenstock.progress.millis=1000");
            words.addAll(List.of("-cp", System.getProperty("java.class.path"), Penstock.class.getName()));
            return words;
        }

        /** The launcher says which commit this is. */
        private static String version() {
            return System.getProperty("penstock.commit", new Version().getVersion()[0]);
        }

        private String again() {
            List<String> words = new ArrayList<>(List.of("./penstock", "bench", "run", name));
            if (quick) {
                words.add("--quick");
            }
            if (rounds != null) {
                words.addAll(List.of("--rounds", rounds.toString()));
            }
            words.addAll(connection.words());
            return words.stream()
                    .map(word -> word.matches("[A-Za-z0-9_./:=@,+-]+") ? word : "'" + word.replace("'", "'\\''") + "'")
                    .collect(Collectors.joining(" "));
        }

        private void print(Result result, Path folder) throws IOException {
            PrintWriter out = spec.commandLine().getOut();
            switch (form) {
                case json -> out.println(ResultFile.json(result));
                case csv -> out.print(Report.csv(result));
                case markdown -> out.print(Report.markdown(result));
                case text -> {
                    out.print(Report.text(result));
                    out.printf("%nreport: %s%n", folder.resolve("report.html"));
                }
            }
            out.flush();
        }

        private ExitCode exit(Result result, Optional<Result> before, PrintWriter err) {
            if (before.isPresent()) {
                var comparison = new Comparison(before.get(), result);
                if (comparison.isEmpty()) {
                    err.println("penstock: the baseline has no cell in common with this experiment");
                    return ExitCode.VERIFICATION;
                }
                say(err, comparison.text());
                Optional<String> failure = Optional.ofNullable(failBelow).flatMap(comparison::failure);
                if (failure.isPresent()) {
                    err.println("penstock: " + failure.get());
                    return ExitCode.VERIFICATION;
                }
            }
            ExitCode signal = stoppedBy.get();
            if (signal != null) {
                return signal;
            }
            if (result.trials().stream().noneMatch(trial -> trial.unusable().isEmpty())) {
                err.println("penstock: nothing could be measured");
                return ExitCode.VERIFICATION;
            }
            return ExitCode.OK;
        }
    }

    /** Tells people how it goes: a line for each run, and on a terminal one that changes every second. */
    private static final class Lines implements ExperimentRun.Listener {
        private static final boolean TERMINAL = Boolean.getBoolean("penstock.terminal");
        private static final String AT_ITS_BEGIN = "\r\u001b[K";

        private final PrintWriter err;
        private final boolean quiet;
        private volatile String running = "";

        Lines(PrintWriter err, boolean quiet) {
            this.err = err;
            this.quiet = quiet;
        }

        @Override
        public synchronized void onLine(String line) {
            if (!quiet) {
                err.println((TERMINAL ? AT_ITS_BEGIN : "") + Text.printable(line));
                err.flush();
            }
        }

        @Override
        public void onRun(int round, int rounds, Cell cell, Duration left) {
            running = "round %d of %d, %s; about %s left"
                    .formatted(round, rounds, Text.printable(cell.name()), ExperimentRun.words(left));
        }

        /** Begins the line that changes; what it gives ends it. */
        Runnable watch(Trial trial) {
            if (quiet || !TERMINAL) {
                return () -> {};
            }
            Thread thread = Thread.ofVirtual().start(() -> show(trial));
            return thread::interrupt;
        }

        private void show(Trial trial) {
            long before = 0;
            try {
                while (true) {
                    Thread.sleep(Duration.ofSeconds(1));
                    long now = trial.acknowledged();
                    synchronized (this) {
                        err.print(
                                AT_ITS_BEGIN + running + (now > before ? ", %,d docs/s".formatted(now - before) : ""));
                        err.flush();
                    }
                    before = now;
                }
            } catch (InterruptedException e) {
                // The experiment has ended.
            }
        }
    }

    /** {@code penstock bench compare}. */
    @Command(
            name = "compare",
            description = "Two results beside each other, with intervals.",
            mixinStandardHelpOptions = true)
    static final class Compare implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @Parameters(index = "0", paramLabel = "FIRST", description = "A result: its folder, or its result.json.")
        private Path first = Path.of("");

        @Parameters(index = "1", paramLabel = "SECOND", description = "The one to compare with it.")
        private Path second = Path.of("");

        @Option(
                names = "--output",
                paramLabel = "FORM",
                defaultValue = "text",
                description = "text, json, markdown or csv. Default: text.")
        private Form form = Form.text;

        @Override
        public Integer call() {
            var comparison = new Comparison(ResultFile.read(first), ResultFile.read(second));
            if (comparison.isEmpty()) {
                throw new BenchException(
                        BenchException.Reason.USAGE, "%s and %s have no cell in common".formatted(first, second));
            }
            PrintWriter out = spec.commandLine().getOut();
            switch (form) {
                case json -> out.println(comparison.json());
                case csv -> out.print(comparison.csv());
                case markdown -> out.print(comparison.markdown());
                case text -> out.print(comparison.text());
            }
            out.flush();
            return 0;
        }
    }
}
