package io.penstock.cli;

import io.penstock.core.load.RateLimit;
import io.penstock.job.FinishPlan;
import io.penstock.job.JobPlan;
import io.penstock.job.Target;
import io.penstock.source.file.DeadLetterSource;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code penstock dlq}: dead letters. */
@Command(
        name = "dlq",
        description = "Dead letters: what was not indexed, why, and another try.",
        mixinStandardHelpOptions = true,
        subcommands = {DlqCommand.ListLetters.class, DlqCommand.Replay.class},
        footer = {
            "",
            "Examples:",
            "  penstock dlq list                                   all jobs with dead letters",
            "  penstock dlq list FILE                              each of them, with position and reason",
            "  penstock dlq replay FILE -i logs                    after the mapping was mended",
        })
final class DlqCommand implements Runnable {
    private static final String FILE_NAME = "dead-letters.ndjson";

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do: list or replay");
    }

    /** {@code penstock dlq list}. */
    @Command(
            name = "list",
            description = "Shows dead letters: without FILE how many each job has, and of which kind.",
            mixinStandardHelpOptions = true)
    static final class ListLetters implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @Parameters(arity = "0..1", paramLabel = "FILE", description = "A file of dead letters, or the name of a job.")
        private @Nullable String file;

        @Mixin
        private OutputOptions output = new OutputOptions();

        @Override
        public Integer call() throws IOException {
            PrintWriter out = spec.commandLine().getOut();
            if (file != null) {
                try (Stream<DeadLetterSource.Letter> letters =
                        DeadLetterSource.letters(find(file, output.stateFolder()))) {
                    letters.forEach(letter -> print(letter, out));
                }
            } else {
                List<Path> files = all(output.stateFolder());
                for (Path found : files) {
                    print(found, out);
                }
                if (files.isEmpty() && !output.common.quiet) {
                    spec.commandLine().getErr().println("no load has left dead letters");
                }
            }
            out.flush();
            return 0;
        }

        private void print(DeadLetterSource.Letter letter, PrintWriter out) {
            if (output.isJson()) {
                out.println(letter.json());
            } else {
                out.printf(
                        "%s %s  %s%s: %s%n",
                        letter.partition(),
                        letter.position(),
                        letter.type(),
                        letter.status() == 0 ? "" : " (" + letter.status() + ")",
                        Text.printable(letter.reason()));
            }
        }

        private void print(Path found, PrintWriter out) throws IOException {
            Map<String, Integer> kinds = new TreeMap<>();
            try (Stream<DeadLetterSource.Letter> letters = DeadLetterSource.letters(found)) {
                letters.forEach(letter -> kinds.merge(letter.type(), 1, Integer::sum));
            }
            int total = kinds.values().stream().mapToInt(Integer::intValue).sum();
            if (output.isJson()) {
                out.println(new com.fasterxml.jackson.databind.ObjectMapper()
                        .createObjectNode()
                        .put("file", found.toString())
                        .put("deadLetters", total)
                        .set("types", new com.fasterxml.jackson.databind.ObjectMapper().valueToTree(kinds)));
            } else {
                out.printf("%,6d  %s  %s%n", total, found, kinds);
            }
        }
    }

    /** {@code penstock dlq replay}. */
    @Command(
            name = "replay",
            description =
                    "Loads dead letters again, under their own ids; those that fail again become dead letters of the replay.",
            mixinStandardHelpOptions = true,
            sortOptions = false)
    static final class Replay implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @Parameters(paramLabel = "FILE", description = "A file of dead letters, or the name of a job.")
        private String file = "";

        @Option(
                names = {"-i", "--index"},
                required = true,
                paramLabel = "NAME",
                description = "Index, alias or data stream to load into.")
        private String index = "";

        @Option(names = "--pipeline", paramLabel = "ID", description = "Ingest pipeline for every document.")
        private @Nullable String pipeline;

        @Mixin
        private LimitOptions limits = new LimitOptions();

        @Option(names = "--restart", description = "Forget an earlier replay of the same file.")
        private boolean restart;

        @Option(names = "--dry-run", description = "Say what would happen, change nothing.")
        private boolean dryRun;

        @Mixin
        private ConnectionOptions connection = new ConnectionOptions();

        @Mixin
        private OutputOptions output = new OutputOptions();

        @Mixin
        private ProgressOptions progress = new ProgressOptions();

        @Override
        public Integer call() {
            IndexNames.check(index);
            var runner = new JobRunner(spec.commandLine(), output, progress);
            return runner.run(
                    this::plan,
                    () -> connection.options(
                            output.common, true, spec.commandLine().getErr()),
                    (cluster, listener) -> plan());
        }

        private JobPlan plan() throws io.penstock.core.source.SourceException {
            return new JobPlan(
                    DeadLetterSource.of(find(file, output.stateFolder())),
                    index,
                    new Target.IndexDefinition("{}", Optional.empty()),
                    Optional.ofNullable(pipeline),
                    false,
                    "dlq replay pipeline=" + pipeline,
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    64,
                    Runtime.getRuntime().maxMemory() / 4,
                    0,
                    limits.maxOutage,
                    limits.rejects(),
                    RateLimit.none(),
                    limits.deadLetterFile(),
                    Optional.empty(),
                    Optional.empty(),
                    true,
                    FinishPlan.COUNT,
                    restart,
                    dryRun,
                    output.stateFolder());
        }
    }

    /** A file by its path, or the dead letters of the job with this name. */
    private static Path find(String fileOrJob, Path state) {
        Path file = Path.of(fileOrJob);
        Path ofJob = state.resolve("jobs").resolve(fileOrJob).resolve(FILE_NAME);
        if (Files.isRegularFile(file)) {
            return file;
        }
        if (Files.isRegularFile(ofJob)) {
            return ofJob;
        }
        throw new UsageException(
                "there are no dead letters at %s: 'penstock dlq list' shows where they are".formatted(fileOrJob));
    }

    private static List<Path> all(Path state) throws IOException {
        Path jobs = state.resolve("jobs");
        if (!Files.isDirectory(jobs)) {
            return List.of();
        }
        try (Stream<Path> folders = Files.list(jobs)) {
            return folders.map(folder -> folder.resolve(FILE_NAME))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        }
    }
}
