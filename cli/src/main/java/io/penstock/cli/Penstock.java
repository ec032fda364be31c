package io.penstock.cli;

import io.penstock.bench.BenchException;
import io.penstock.core.state.StateException;
import io.penstock.core.time.Durations;
import io.penstock.job.ExitCode;
import io.penstock.job.TargetException;
import io.penstock.node.NodeException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** The program {@code penstock}. */
@Command(
        name = "penstock",
        description =
                "Brings documents into OpenSearch and Elasticsearch: as fast as the cluster takes them, none lost.",
        synopsisSubcommandLabel = "VERB",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Try:",
            "  penstock demo                                       see it work, on a local OpenSearch",
            "  penstock load logs.ndjson.gz -i logs                load a file",
            "  penstock load --help                                what a load can do",
        })
public final class Penstock implements Runnable {
    private static final List<Class<?>> VERBS = List.of(
            DemoCommand.class,
            LoadCommand.class,
            ReindexCommand.class,
            RestoreCommand.class,
            DlqCommand.class,
            BenchCommand.class,
            FeedCommand.class,
            NodeCommand.class,
            AutoComplete.GenerateCompletion.class);

    /** Kept, or their levels would go with them. What libraries have to say is for whoever asks with -v. */
    static final Logger LIBRARIES = Logger.getLogger("");

    static final Logger OURS = Logger.getLogger("io.penstock");

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    private Penstock() {}

    /** Starts the program; the process ends with one of the {@link ExitCode}s. */
    public static void main(String[] arguments) {
        Locale.setDefault(Locale.ROOT);
        System.setProperty("java.util.logging.SimpleFormatter.format", "%1$tT.%1$tL %4$s %5$s%6$s%n");
        LIBRARIES.setLevel(Level.OFF);
        OURS.setLevel(Level.INFO);
        System.exit(run(commandLine(System.getenv(), arguments), arguments));
    }

    /** Options are parsed once the configuration file among them was read: it holds defaults for the others. */
    static int run(CommandLine commandLine, String... arguments) {
        try {
            ((Defaults) commandLine.getDefaultValueProvider()).readConfig(arguments);
        } catch (UsageException e) {
            commandLine.getErr().println("penstock: " + e.getMessage());
            return ExitCode.USAGE.number();
        }
        return commandLine.execute(arguments);
    }

    /**
     * Looking through the options of all verbs takes longer than most of them do: if one is named, it is that alone.
     */
    static CommandLine commandLine(Map<String, String> environment, String[] arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        if (first.equals("-V") || first.equals("--version")) {
            return commandLine(environment, List.of());
        }
        Optional<Class<?>> named = VERBS.stream()
                .filter(verb -> verb != AutoComplete.GenerateCompletion.class) // it completes every verb
                .filter(verb -> verb.getAnnotation(Command.class).name().equals(first))
                .findFirst();
        return commandLine(environment, named.<List<Class<?>>>map(List::of).orElse(VERBS));
    }

    /** The command line with all verbs. */
    static CommandLine commandLine(Map<String, String> environment) {
        return commandLine(environment, VERBS);
    }

    private static CommandLine commandLine(Map<String, String> environment, List<Class<?>> verbs) {
        var commandLine = new CommandLine(new Penstock());
        verbs.forEach(commandLine::addSubcommand);
        commandLine.setDefaultValueProvider(new Defaults(environment));
        commandLine.registerConverter(ByteSize.class, text -> converted(text, ByteSize::parse));
        commandLine.registerConverter(Duration.class, text -> converted(text, Durations::parse));
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setUsageHelpAutoWidth(false);
        commandLine.setUsageHelpWidth(110);
        commandLine.setParameterExceptionHandler(Penstock::onWrongArguments);
        commandLine.setExecutionExceptionHandler(Penstock::onException);
        if (environment.containsKey("NO_COLOR")) {
            commandLine.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        }
        return commandLine;
    }

    /** Picocli shows people the message of this exception, and of others their class as well. */
    private static <T> T converted(String text, Function<String, T> parse) {
        try {
            return parse.apply(text);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.TypeConversionException(e.getMessage());
        }
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say what to do, for example 'penstock demo'");
    }

    private static int onWrongArguments(ParameterException e, String[] arguments) {
        CommandLine command = e.getCommandLine();
        command.getErr().println("penstock: " + e.getMessage());
        if (!CommandLine.UnmatchedArgumentException.printSuggestions(e, command.getErr())) {
            command.getErr()
                    .println("Try '%s --help'."
                            .formatted(command.getCommandSpec().qualifiedName()));
        }
        return ExitCode.USAGE.number();
    }

    /** One sentence for people; where the code broke only with {@code -v}. */
    private static int onException(Exception e, CommandLine command, CommandLine.ParseResult parsed) {
        boolean expected = e instanceof TargetException
                || e instanceof StateException
                || e instanceof NodeException
                || e instanceof UsageException
                || e instanceof BenchException;
        command.getErr()
                .println("penstock: "
                        + (expected
                                ? e.getMessage()
                                : "this is a bug in Penstock: %s (run again with -v and report it)".formatted(e)));
        if (Logger.getLogger("io.penstock").isLoggable(Level.FINE)) {
            e.printStackTrace(command.getErr());
        }
        return exitCode(e).number();
    }

    private static ExitCode exitCode(Exception e) {
        return switch (e) {
            case UsageException usage -> ExitCode.USAGE;
            case BenchException bench ->
                switch (bench.reason()) {
                    case USAGE -> ExitCode.USAGE;
                    case FAILED -> ExitCode.TARGET_UNUSABLE;
                };
            case TargetException target ->
                switch (target.reason()) {
                    case UNUSABLE -> ExitCode.TARGET_UNUSABLE;
                    case REFUSES -> ExitCode.TARGET_REFUSES;
                    case USAGE -> ExitCode.USAGE;
                };
            case StateException state -> ExitCode.LOCAL_STATE;
            case NodeException node when node.reason() == NodeException.Reason.USAGE -> ExitCode.USAGE;
            case NodeException node -> ExitCode.TARGET_UNUSABLE;
            default -> ExitCode.BUG;
        };
    }
}
