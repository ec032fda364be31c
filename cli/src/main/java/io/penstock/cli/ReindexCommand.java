package io.penstock.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.cluster.Cluster;
import io.penstock.cluster.CopiedIndex;
import io.penstock.cluster.IndexSource;
import io.penstock.cluster.Reindex;
import io.penstock.core.load.RateLimit;
import io.penstock.job.CopyPlan;
import io.penstock.job.FinishPlan;
import io.penstock.job.Job;
import io.penstock.job.JobPlan;
import io.penstock.job.ServerCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code penstock reindex}. */
@Command(
        name = "reindex",
        description = {
            "Copies an index, an alias or a data stream into a new index, and moves the alias onto it.",
            "The same command again goes on where it stopped."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        footer = {
            "",
            "Examples:",
            "  penstock reindex products -i products-v2 --mapping new.json --force-merge 1",
            "  penstock reindex orders -i orders-v2 --alias orders-live --shards 6 --catch-up updated_at",
            "  penstock reindex logs -i logs --source-url http://old:9200 -t https://new:9200 -u loader",
            "If SRC is an alias it moves to the new index. More, and the exit codes, in docs/reindex.md",
        })
final class ReindexCommand implements Callable<Integer> {
    private static final ObjectMapper JSON = new ObjectMapper();

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Parameters(paramLabel = "SRC", description = "Index, alias or data stream to copy.")
    private String name = "";

    @Option(
            names = {"-i", "--index"},
            required = true,
            paramLabel = "NEW",
            description = "The new index; made like the source if it is missing.")
    private String index = "";

    @Option(names = "--mapping", paramLabel = "FILE", description = "Mapping of the new index. Default: the source's.")
    private @Nullable String mapping;

    @Mixin
    private ShapeOptions shape = new ShapeOptions();

    @Option(names = "--query", paramLabel = "FILE", description = "Only the documents that this query (JSON) finds.")
    private @Nullable Path query;

    @Option(
            names = "--catch-up",
            paramLabel = "FIELD",
            description = "Also copy what changes meanwhile, by a field that grows with every change.")
    private @Nullable String catchUp;

    @Option(names = "--source-url", paramLabel = "URL", description = "Cluster to read from. Default: the target.")
    private @Nullable String sourceUrl;

    @Option(names = "--source-user", paramLabel = "USER[:PASSWORD]", description = "User there. Default: none.")
    private @Nullable String sourceUser;

    @Option(names = "--source-api-key", paramLabel = "KEY", description = "API key there, or @FILE.")
    private @Nullable String sourceApiKey;

    @Mixin
    private FinishOptions finish = new FinishOptions();

    @Mixin
    private RateOptions rate = new RateOptions();

    @Mixin
    private LimitOptions limits = new LimitOptions();

    @Option(names = "--no-sniff", description = "Send only to the given addresses; do not look for the other nodes.")
    private boolean noSniff;

    @Option(names = "--restart", description = "Forget an earlier run and begin anew.")
    private boolean restart;

    @Option(names = "--dry-run", description = "Look at both sides, say what would happen, change nothing.")
    private boolean dryRun;

    @Mixin
    private ConnectionOptions connection = new ConnectionOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private ProgressOptions progress = new ProgressOptions();

    @Override
    public Integer call() {
        rate.followConfig(spec.commandLine());
        var runner = new JobRunner(spec.commandLine(), output, progress);
        var err = spec.commandLine().getErr();
        if (sourceUrl == null) {
            return runner.run(
                    this::check,
                    () -> connection.options(output.common, !noSniff, err),
                    (cluster, listener) -> plan(cluster, cluster, listener));
        }
        try (var from = new Cluster(connection.source(sourceUrl, sourceUser, sourceApiKey, !noSniff, err))) {
            return runner.run(
                    this::check,
                    () -> connection.options(output.common, !noSniff, err),
                    (cluster, listener) -> plan(cluster, from, listener));
        }
    }

    private void check() {
        IndexNames.check(name);
        IndexNames.check(index);
        if (name.equals(index) && sourceUrl == null) {
            throw new UsageException("%s cannot be copied into itself: --index names a new index".formatted(name));
        }
        finish.plan(index, Optional.of(name + "-alias"));
        rate.limit();
        query();
        mapping();
    }

    private Optional<String> mapping() {
        return Optional.ofNullable(mapping).map(file -> ShapeOptions.mappingFile(file, "name a file"));
    }

    private Optional<String> query() {
        if (query == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(JSON.readTree(Files.readString(query)).toString());
        } catch (JsonProcessingException e) {
            throw new UsageException("the query in %s is no JSON: %s".formatted(query, e.getOriginalMessage()));
        } catch (IOException e) {
            throw new UsageException("the query %s cannot be read: name a file".formatted(query));
        }
    }

    private JobPlan plan(Cluster target, Cluster from, Job.JobListener listener) {
        boolean elsewhere = !from.facts().uuid().equals(target.facts().uuid());
        CopiedIndex copied = CopiedIndex.of(from, name, elsewhere ? "" : index);
        copied.warnings().forEach(listener::onWarning);
        FinishPlan afterwards =
                finish.plan(index, copied.isAlias() && !elsewhere ? Optional.of(name) : Optional.empty());
        IndexSource source = IndexSource.of(from, copied, query(), limits.maxOutage, listener::onWarning);
        RateLimit limit = rate.limit();
        Optional<ServerCopy> inside =
                elsewhere || rate.limitsBytes() ? Optional.empty() : Optional.of(new Reindex(target, source));
        listener.onStep("%,d documents of %s: %s"
                .formatted(
                        source.documentsAtStart(),
                        name,
                        inside.isPresent()
                                ? "copied inside the cluster by its own _reindex, in %d slices"
                                        .formatted(source.partitions().size())
                                : "read from %s and sent by Penstock, in %d slices"
                                        .formatted(
                                                elsewhere ? from.addresses().get(0) : "the same cluster",
                                                source.partitions().size())));
        if (catchUp != null) {
            listener.onWarning(
                    "--catch-up finds what is written to %s meanwhile, but not what is deleted there".formatted(name));
        }
        return new JobPlan(
                source,
                index,
                copied.definition(elsewhere, shape.settings(), mapping()),
                Optional.of("_none"),
                false,
                "reindex of=%s from=%s query=%s".formatted(name, from.facts().uuid(), query().orElse("all")),
                OptionalInt.empty(),
                OptionalInt.empty(),
                64,
                Runtime.getRuntime().maxMemory() / 4,
                0,
                limits.maxOutage,
                limits.rejects(),
                limit,
                limits.deadLetterFile(),
                Optional.of(new CopyPlan(inside, Optional.ofNullable(catchUp).map(source::catchUp), source::sample)),
                Optional.empty(),
                finish.keepSettings,
                afterwards,
                restart,
                dryRun,
                output.stateFolder());
    }
}
