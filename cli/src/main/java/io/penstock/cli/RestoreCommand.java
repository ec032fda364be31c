package io.penstock.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cluster.Cluster;
import io.penstock.core.time.Clock;
import io.penstock.envelope.Envelope;
import io.penstock.envelope.EnvelopedIndex;
import io.penstock.envelope.Journal;
import io.penstock.envelope.Restoration;
import io.penstock.job.ExitCode;
import io.penstock.job.TargetException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code penstock restore}. */
@Command(
        name = "restore",
        description = {
            "Puts back settings that an interrupted load left behind.",
            "They are noted in the cluster itself, so that this works from any machine."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  penstock restore --dry-run                          what would be put back, on every index",
            "  penstock restore logs -t https://search:9200",
            "Exit codes: 0 all is as it was, 6 cluster down, 7 no such index, 11 something is not put back",
        })
final class RestoreCommand implements Callable<Integer> {
    private static final ObjectMapper JSON = new ObjectMapper();

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "INDEX", description = "Indices or aliases. Default: all that need it.")
    private List<String> indices = List.of();

    @Option(names = "--dry-run", description = "Say what would be put back, change nothing.")
    private boolean dryRun;

    @Option(names = "--force", description = "Also take settings from a load that seems to be alive.")
    private boolean force;

    @Mixin
    private ConnectionOptions connection = new ConnectionOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    /** Outcomes by index, for the JSON summary. */
    private final Map<String, String> outcomes = new TreeMap<>();

    private boolean left;

    @Override
    public Integer call() {
        PrintWriter out = output.isJson()
                ? spec.commandLine().getErr()
                : spec.commandLine().getOut();
        try (var cluster = new Cluster(
                connection.options(output.common, false, spec.commandLine().getErr()))) {
            cluster.facts();
            Map<String, Journal> journals = journals(cluster);
            journals.forEach((name, journal) -> restore(cluster.enveloped(name), journal, out));
            if (journals.isEmpty() && !output.common.quiet) {
                out.println("no load has left settings behind");
            }
        }
        if (output.isJson()) {
            ObjectNode json = JSON.createObjectNode();
            ObjectNode each = json.putObject("indices");
            outcomes.forEach(each::put);
            spec.commandLine().getOut().println(json);
        }
        return left ? ExitCode.SETTINGS_NOT_RESTORED.number() : ExitCode.OK.number();
    }

    private Map<String, Journal> journals(Cluster cluster) {
        Map<String, Journal> all = new TreeMap<>(cluster.journals());
        if (indices.isEmpty()) {
            return all;
        }
        var named = new TreeMap<String, Journal>();
        for (String name : indices) {
            IndexNames.check(name);
            String index = cluster.find(name)
                    .orElseThrow(() -> new TargetException(
                            TargetException.Reason.REFUSES, "there is no index %s to restore".formatted(name), null))
                    .enveloped()
                    .name();
            Optional.ofNullable(all.get(index)).ifPresent(journal -> named.put(index, journal));
        }
        return named;
    }

    private void restore(EnvelopedIndex index, Journal journal, PrintWriter out) {
        if (journal.isAliveAt(Clock.SYSTEM.now()) && !force) {
            tell(
                    index,
                    "alive",
                    "left alone, as %s seems to be alive; --force takes its settings".formatted(journal.owner()),
                    out);
            return;
        }
        if (dryRun) {
            index.read().ifPresent(state -> {
                Restoration restoration = Restoration.of(journal.settings(), state.settings());
                tell(
                        index,
                        "would restore",
                        "would put back %s of %s".formatted(text(restoration.puts()), journal.owner()),
                        out);
            });
            return;
        }
        try {
            switch (Envelope.recover(index)) {
                case Envelope.Ending.Restored restored -> {
                    tell(index, "restored", "put back %s of %s".formatted(text(restored.puts()), journal.owner()), out);
                    restored.theirs()
                            .forEach((name, value) ->
                                    out.printf("  %s was changed to %s by somebody, and stays so%n", name, value));
                }
                case Envelope.Ending.Pending pending -> {
                    left = true;
                    tell(
                            index,
                            "pending",
                            "not put back (%s); later: %s".formatted(pending.why(), pending.request()),
                            out);
                }
                case Envelope.Ending.Gone gone -> tell(index, "gone", "is gone, and its settings with it", out);
                case Envelope.Ending.Nothing nothing -> tell(index, "restored", "is as it was", out);
            }
        } catch (TargetException e) {
            left = true;
            tell(index, "pending", "not put back: " + e.getMessage(), out);
        }
    }

    private void tell(EnvelopedIndex index, String outcome, String what, PrintWriter out) {
        outcomes.put(index.name(), outcome);
        out.printf("%s: %s%n", index.name(), Text.printable(what));
    }

    private static String text(Map<String, Optional<String>> puts) {
        return puts.isEmpty()
                ? "nothing more"
                : String.join(
                        ", ",
                        puts.entrySet().stream()
                                .map(put -> "%s=%s"
                                        .formatted(put.getKey(), put.getValue().orElse("(not set)")))
                                .toList());
    }
}
