package io.penstock.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cluster.Cluster;
import io.penstock.cluster.ClusterOptions;
import io.penstock.cluster.Credentials;
import io.penstock.core.time.Clock;
import io.penstock.job.TargetException;
import io.penstock.node.ClusterSpec;
import io.penstock.node.ClusterStatus;
import io.penstock.node.Distribution;
import io.penstock.node.LocalBroker;
import io.penstock.node.LocalCluster;
import io.penstock.node.NodeStatus;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code penstock node}: the local OpenSearch. */
@Command(
        name = "node",
        description = "The local OpenSearch: real servers on this machine, for trying out and for tests.",
        mixinStandardHelpOptions = true,
        subcommands = {NodeCommand.Start.class, NodeCommand.Stop.class, NodeCommand.Status.class},
        footer = {
            "",
            "Examples:",
            "  penstock node start                     one node of OpenSearch 3.6.0",
            "  penstock node start --nodes 3 --heap 512m",
            "  penstock node start --version elasticsearch:8.19.21",
            "  penstock node start --plugin            with faster-bulk, see docs/plugin.md",
        })
final class NodeCommand implements Runnable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration ASKING_TIME = Duration.ofSeconds(5);

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do: start, stop or status");
    }

    /** {@code penstock node start}. */
    @Command(name = "start", description = "Starts the local nodes, or says that they run.")
    static final class Start implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        // Not mixed in as elsewhere: the standard options would claim --version for ours.
        @Option(
                names = {"-h", "--help"},
                usageHelp = true,
                description = "Show this help message and exit.")
        boolean help;

        @Option(names = "--nodes", paramLabel = "N", description = "Number of nodes. Default: as before, or 1.")
        private @Nullable Integer nodes;

        @Option(
                names = "--heap",
                paramLabel = "SIZE",
                description = "Heap of each node, for example 2g. Default: as before, or 1g.")
        private @Nullable String heap;

        @Option(
                names = "--version",
                paramLabel = "V",
                description = "For example 3.6.0, 2.19.1 or elasticsearch:8.19.21. Default: as before, or 3.6.0.")
        private @Nullable String version;

        @Option(
                names = "--node-setting",
                paramLabel = "K=V",
                description = "Setting of every node, as in its configuration file; may be repeated.")
        private Map<String, String> settings = new LinkedHashMap<>();

        @Option(
                names = "--plugin",
                negatable = true,
                description = "With the faster-bulk plugin on every node, or without. Default: as before, or without. "
                        + "It still has to be switched on, see docs/plugin.md.")
        private @Nullable Boolean plugin;

        @Option(
                names = "--with-kafka",
                description = "Also a Kafka broker: a single one, for trying out 'load kafka://' and 'feed'.")
        private boolean withKafka;

        @Mixin
        private OutputOptions output = new OutputOptions();

        @Override
        public Integer call() {
            PrintWriter err = spec.commandLine().getErr();
            LocalCluster cluster = LocalCluster.at(output.stateFolder());
            ClusterSpec before = cluster.spec().orElse(ClusterSpec.DEFAULT);
            var wanted = new ClusterSpec(
                    version == null ? before.distribution() : Distribution.parse(version),
                    nodes == null ? before.nodes() : nodes,
                    heap == null ? before.heap() : heap,
                    settings.isEmpty() ? before.settings() : settings,
                    plugin == null ? before.plugins() : plugin ? List.of(pluginArchive()) : List.of());
            ClusterStatus status = cluster.start(wanted, line -> {
                if (!output.common.quiet) {
                    err.println(line);
                    err.flush();
                }
            });
            if (withKafka) {
                broker(output).start(Map.of(), err::println);
            }
            print(status, broker(output).address(), output, spec.commandLine().getOut());
            return 0;
        }
    }

    private static LocalBroker broker(OutputOptions output) {
        return LocalBroker.at(
                output.stateFolder(), Path.of(System.getProperty("penstock.kafka", "kafka-broker/target/libs")));
    }

    /** The launcher, which builds it, says where it is. */
    private static Path pluginArchive() {
        return Path.of(System.getProperty("penstock.plugin", "faster-bulk/target/faster-bulk.zip"));
    }

    /** {@code penstock node stop}. */
    @Command(
            name = "stop",
            description = "Stops the nodes that 'node start' started; their data stays.",
            mixinStandardHelpOptions = true)
    static final class Stop implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @Mixin
        private OutputOptions output = new OutputOptions();

        @Override
        public Integer call() {
            boolean brokerStopped = broker(output).stop();
            boolean stopped = LocalCluster.at(output.stateFolder()).stop() || brokerStopped;
            if (!output.common.quiet) {
                spec.commandLine().getErr().println(stopped ? "stopped" : "nothing was running");
            }
            return 0;
        }
    }

    /** {@code penstock node status}. */
    @Command(
            name = "status",
            description = "Says which local nodes run. Exit code 6 when none does.",
            mixinStandardHelpOptions = true)
    static final class Status implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @Mixin
        private OutputOptions output = new OutputOptions();

        @Override
        public Integer call() {
            ClusterStatus status = LocalCluster.at(output.stateFolder()).status();
            print(status, broker(output).address(), output, spec.commandLine().getOut());
            status.url()
                    .ifPresent(url -> tellOfAbandoned(url, spec.commandLine().getErr()));
            return status.url().isPresent() ? 0 : io.penstock.job.ExitCode.TARGET_UNUSABLE.number();
        }
    }

    private static void tellOfAbandoned(URI url, PrintWriter err) {
        var options =
                new ClusterOptions(List.of(url), Credentials.none(), ClusterOptions.Tls.DEFAULT, false, ASKING_TIME);
        try (var cluster = new Cluster(options)) {
            cluster.journals().forEach((index, journal) -> {
                if (!journal.isAliveAt(Clock.SYSTEM.now())) {
                    err.printf(
                            "penstock: warning: %s still has the settings of %s: 'penstock restore %s' puts them back%n",
                            index, journal.owner(), index);
                }
            });
        } catch (TargetException e) {
            // A node that does not answer is what the status says already.
        }
    }

    private static void print(ClusterStatus status, Optional<String> broker, OutputOptions output, PrintWriter out) {
        if (output.isJson()) {
            ObjectNode json = json(status);
            broker.ifPresent(address -> json.put("kafka", address));
            out.println(json.toPrettyString());
        } else if (!output.common.quiet) {
            Optional<URI> url = status.url();
            out.println(url.isPresent() ? url.get() : "no local node is running: 'penstock node start' starts one");
            for (NodeStatus node : status.nodes()) {
                out.printf(
                        "  %s  %s  %s  %s%n",
                        node.name(),
                        node.url(),
                        node.version(),
                        node.running() ? "pid " + node.pid() : "not running, see " + node.log());
            }
            broker.ifPresent(address -> out.printf("  kafka   kafka://%s  a single broker, for trying out%n", address));
        }
        out.flush();
    }

    private static ObjectNode json(ClusterStatus status) {
        ObjectNode json = JSON.createObjectNode();
        json.put("url", status.url().map(URI::toString).orElse(null));
        ArrayNode nodes = json.putArray("nodes");
        for (NodeStatus node : status.nodes()) {
            nodes.addObject()
                    .put("name", node.name())
                    .put("url", node.url().toString())
                    .put("pid", node.pid())
                    .put("version", node.version())
                    .put("running", node.running());
        }
        return json;
    }
}
