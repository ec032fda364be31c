package io.penstock.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cluster.Cluster;
import io.penstock.cluster.ClusterOptions;
import io.penstock.core.document.Operation;
import io.penstock.core.load.RateLimit;
import io.penstock.core.source.SourceException;
import io.penstock.core.time.Clock;
import io.penstock.job.ExitCode;
import io.penstock.job.FinishPlan;
import io.penstock.job.Job;
import io.penstock.job.JobPlan;
import io.penstock.job.JobReport;
import io.penstock.job.Target;
import io.penstock.source.file.FileOptions;
import io.penstock.source.file.FileSource;
import io.penstock.source.file.Format;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code penstock demo}: the main job end to end, on a real log and a real server. */
@Command(
        name = "demo",
        description =
                "Starts a local OpenSearch, loads 10,000 real Apache log lines, searches them, says what to try next.",
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
    private static final String INDEX = "apache-logs";
    private static final String QUERY = """
            {"size": 1, "track_total_hits": true, "query": {"term": {"status": 404}},
             "sort": [{"@timestamp": "desc"}],
             "aggs": {"paths": {"terms": {"field": "path.keyword", "size": 3}}}}""";

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Mixin
    private ConnectionOptions connection = new ConnectionOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private ProgressOptions progress = new ProgressOptions();

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        Path sample = sample();
        ClusterOptions options = connection.options(output.common, true, err);
        try (var cluster = new Cluster(options);
                var printer = new ProgressPrinter(
                        progress.style(output.common.quiet), output.common.quiet, err, Clock.SYSTEM)) {
            var job = new Job(plan(sample, cluster), cluster, printer, Clock.SYSTEM);
            Signals.handle(job::stop, err);
            JobReport report = job.run();
            printer.finish();
            Summary.print(report, output, out, err);
            // One line of the sample is cut short, as it was found: the demo shows where it goes.
            if (report.exit() != ExitCode.OK && report.exit() != ExitCode.DEAD_LETTERS) {
                return report.exit().number();
            }
            if (!output.isJson()) {
                search(cluster, out);
                next(cluster, out);
            }
            return ExitCode.OK.number();
        } catch (SourceException e) {
            err.println("penstock: " + e.getMessage());
            return ExitCode.SOURCE.number();
        }
    }

    private Path sample() throws IOException {
        Path file = output.stateFolder().resolve("apache_logs.gz");
        if (!Files.exists(file)) {
            try (InputStream in = Objects.requireNonNull(DemoCommand.class.getResourceAsStream("apache_logs.gz"))) {
                Path temporary = file.resolveSibling("apache_logs.gz.new");
                Files.copy(in, temporary, StandardCopyOption.REPLACE_EXISTING);
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            }
        }
        return file;
    }

    private JobPlan plan(Path sample, Cluster cluster) throws SourceException {
        var files = new FileOptions(
                Format.APACHE,
                Operation.INDEX,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                cluster.facts().contentBytesMax());
        return new JobPlan(
                FileSource.of(List.of(sample.toString()), files),
                INDEX,
                new Target.IndexDefinition("{\"index.number_of_replicas\": 0}", Optional.empty()),
                Optional.empty(),
                false,
                "demo",
                OptionalInt.empty(),
                OptionalInt.empty(),
                8,
                Runtime.getRuntime().maxMemory() / 4,
                0,
                Duration.ofMinutes(1),
                OptionalLong.empty(),
                RateLimit.none(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false,
                FinishPlan.COUNT,
                cluster.find(INDEX).isEmpty(),
                false,
                output.stateFolder());
    }

    private void search(Cluster cluster, PrintWriter out) {
        JsonNode found = cluster.search(INDEX, QUERY);
        JsonNode newest = found.path("hits").path("hits").path(0).path("_source");
        out.println();
        out.printf(
                "Searched for status 404: %,d of the requests, in %d ms.%n",
                found.path("hits").path("total").path("value").asLong(),
                found.path("took").asLong());
        out.printf(
                "  the latest: %s  %s  %s %s%n",
                newest.path("@timestamp").asText(),
                newest.path("clientip").asText(),
                newest.path("method").asText(),
                Text.printable(newest.path("path").asText()));
        for (JsonNode path : found.path("aggregations").path("paths").path("buckets")) {
            out.printf(
                    "  %4d x %s%n",
                    path.path("doc_count").asLong(),
                    Text.printable(path.path("key").asText()));
        }
    }

    private void next(Cluster cluster, PrintWriter out) {
        out.println();
        out.println("Next:");
        out.println(
                "  ./penstock dlq list                          the one line that was cut short, and why it is no document");
        out.println("  ./penstock load YOUR-FILE -i YOUR-INDEX      load a file of your own");
        out.printf("  curl '%s/%s/_search?q=status:500'%n", cluster.addresses().get(0), INDEX);
        out.println("  ./penstock node stop                         stop the local OpenSearch");
        out.flush();
    }
}
