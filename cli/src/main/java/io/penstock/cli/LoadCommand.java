package io.penstock.cli;

import io.penstock.cluster.InferredMapping;
import io.penstock.core.document.Operation;
import io.penstock.core.load.RateLimit;
import io.penstock.core.source.Source;
import io.penstock.core.source.SourceException;
import io.penstock.job.FinishPlan;
import io.penstock.job.JobPlan;
import io.penstock.job.LivePlan;
import io.penstock.job.RememberedDeletes;
import io.penstock.job.Target;
import io.penstock.source.file.FileOptions;
import io.penstock.source.file.FileSource;
import io.penstock.source.file.Format;
import io.penstock.source.kafka.TopicAddress;
import io.penstock.source.kafka.TopicOptions;
import io.penstock.source.kafka.TopicSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code penstock load}. */
@Command(
        name = "load",
        description =
                "Loads files, standard input or a topic into an index. The same command again goes on where it stopped.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        footer = {
            "",
            "Examples:",
            "  penstock load access.log.gz -i logs",
            "  penstock load 'data/*.ndjson.zst' -i products --id-field sku --version-field revision",
            "  penstock load kafka://localhost:9092/catalog -i tracks-2 --alias tracks --follow",
            "  zcat dump.gz | penstock load - -i copy --format bulk -t https://search:9200 -u loader",
            "Exit codes: 0 all indexed, 4 with dead letters, 5 source, 6 cluster down, 7 it refuses; all in docs/cli.md",
        })
final class LoadCommand implements Callable<Integer> {
    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "SOURCE",
            description = "Files, 'globs', - for standard input, or kafka://HOST:PORT/TOPIC.")
    List<String> sources = List.of();

    @Option(
            names = {"-i", "--index"},
            required = true,
            paramLabel = "NAME",
            description = "Index, alias or data stream; an index is made if it is missing.")
    String index = "";

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "auto",
            description = "auto, ndjson, bulk, json, csv, tsv or apache. Default: auto.")
    String format = "auto";

    @Option(
            names = "--op",
            paramLabel = "OPERATION",
            defaultValue = "index",
            description = "index, create, update or delete. Default: index.")
    String operation = "index";

    @Option(
            names = "--id-field",
            paramLabel = "FIELD",
            description = "Field with the _id; without it ids are made from job and position.")
    @Nullable
    String idField;

    @Option(names = "--routing-field", paramLabel = "FIELD", description = "Field with the routing value.")
    @Nullable
    String routingField;

    @Option(
            names = "--version-field",
            paramLabel = "FIELD",
            description = "Field with an external version: an older document never replaces a newer one.")
    @Nullable
    String versionField;

    @Option(
            names = "--ids",
            paramLabel = "job|server",
            defaultValue = "job",
            description = "Who makes missing ids; with server a resend can make a second copy. Default: job.")
    String ids = "job";

    @Option(
            names = "--mapping",
            paramLabel = "HOW",
            defaultValue = "dynamic",
            description = "Mapping of a new index: infer (from a sample), a FILE, or dynamic, the default.")
    String mapping = "dynamic";

    @Mixin
    ShapeOptions shape = new ShapeOptions();

    @Option(names = "--pipeline", paramLabel = "ID", description = "Ingest pipeline for every document.")
    @Nullable
    String pipeline;

    @Option(
            names = "--bulk-bytes",
            paramLabel = "auto|SIZE",
            defaultValue = "auto",
            description = "Size of a bulk. Default: auto, found while loading.")
    String bulkBytes = "auto";

    @Option(
            names = "--concurrency",
            paramLabel = "auto|N",
            defaultValue = "auto",
            description = "Bulks in flight. Default: auto, found while loading.")
    String concurrency = "auto";

    @Option(
            names = "--max-concurrency",
            paramLabel = "N",
            defaultValue = "64",
            description = "Most bulks in flight that auto may try. Default: 64.")
    int maxConcurrency = 64;

    @Mixin
    RateOptions rate = new RateOptions();

    @Option(
            names = "--max-retries",
            paramLabel = "N",
            defaultValue = "0",
            description = "Resends of one document; 0 for as many as --max-outage allows. Default: 0.")
    int maxRetries;

    @Mixin
    LimitOptions limits = new LimitOptions();

    @Option(
            names = "--max-doc-bytes",
            paramLabel = "SIZE",
            description = "Larger documents become dead letters. Default: what the cluster takes.")
    @Nullable
    ByteSize maxDocBytes;

    @Option(names = "--no-sniff", description = "Send only to the given addresses; do not look for the other nodes.")
    boolean noSniff;

    @Mixin
    LiveOptions live = new LiveOptions();

    @Mixin
    FinishOptions finish = new FinishOptions();

    @Option(names = "--restart", description = "Forget an earlier run and begin anew; ids stay the same.")
    boolean restart;

    @Option(names = "--dry-run", description = "Look at source and cluster, say what would happen, change nothing.")
    boolean dryRun;

    @Mixin
    ConnectionOptions connection = new ConnectionOptions();

    @Mixin
    OutputOptions output = new OutputOptions();

    @Mixin
    ProgressOptions progress = new ProgressOptions();

    private @Nullable TopicSource topicSource;

    @Override
    public Integer call() {
        IndexNames.check(index);
        rate.followConfig(spec.commandLine());
        var runner = new JobRunner(spec.commandLine(), output, progress);
        return runner.run(
                () -> plan(FileOptions.DEFAULT_MAX_DOCUMENT_BYTES),
                () -> connection.options(
                        output.common, !noSniff, spec.commandLine().getErr()),
                (cluster, listener) -> plan(cluster.facts().contentBytesMax()));
    }

    private FileOptions fileOptions(long contentBytesMax) {
        Format chosen = Format.parse(format)
                .orElseThrow(
                        () -> new UsageException("--format is one of " + Format.words() + ", not '" + format + "'"));
        Operation asked = Operation.parse(operation)
                .orElseThrow(
                        () -> new UsageException("--op is index, create, update or delete, not '" + operation + "'"));
        try {
            return new FileOptions(
                    chosen,
                    asked,
                    Optional.ofNullable(idField),
                    Optional.ofNullable(routingField),
                    Optional.ofNullable(versionField),
                    documentBytesMax(contentBytesMax));
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage() + " (--op, --id-field, --version-field)");
        }
    }

    private long documentBytesMax(long contentBytesMax) {
        return maxDocBytes == null ? contentBytesMax - 4096 : maxDocBytes.bytes();
    }

    // ---- topics -------------------------------------------------------------------------------------------------

    private Optional<TopicAddress> topic() {
        if (sources.stream().noneMatch(TopicAddress::isMeant)) {
            live.checkUnused();
            return Optional.empty();
        }
        if (sources.size() > 1) {
            throw new UsageException("a topic is loaded alone: name one kafka://HOST:PORT/TOPIC and nothing else");
        }
        Optional<TopicAddress> address = TopicAddress.parse(sources.get(0));
        if (address.isEmpty()) {
            throw new UsageException(
                    "'%s' is no topic: write kafka://HOST:PORT/TOPIC, with more brokers as HOST:PORT,HOST:PORT"
                            .formatted(sources.get(0)));
        }
        if (!operation.equals("index") || versionField != null || !format.equals("auto") || !ids.equals("job")) {
            throw new UsageException(
                    "--op, --version-field, --format and --ids are not for topics: a record's key is the id, its offset the version, and one without a value deletes");
        }
        return address;
    }

    private TopicOptions topicOptions(long contentBytesMax) {
        return new TopicOptions(
                live.kafkaConfig(),
                live.follow,
                Optional.ofNullable(idField),
                Optional.ofNullable(routingField),
                documentBytesMax(contentBytesMax),
                limits.maxOutage);
    }

    /** Found once, as finding it asks the brokers. */
    private TopicSource topicSource(TopicAddress address, TopicOptions options) throws SourceException {
        TopicSource known = topicSource;
        try {
            TopicSource found = known == null ? TopicSource.of(address, options) : known;
            topicSource = found;
            return found;
        } catch (IllegalArgumentException e) {
            throw new UsageException("Kafka does not take these properties (--kafka-config): " + e.getMessage());
        }
    }

    // ---- the plan -----------------------------------------------------------------------------------------------

    /** Options are looked at before sources, so that a mistyped command is called that whatever else is missing. */
    private JobPlan plan(long contentBytesMax) throws SourceException {
        Optional<TopicAddress> topic = topic();
        FileOptions files = fileOptions(contentBytesMax);
        Optional<Supplier<String>> fileMapping = mapping();
        boolean serverIds = oneOf("--ids", ids, "job", "server").equals("server");
        FinishPlan afterwards = finish.plan(index, Optional.empty());
        if (afterwards.sampled() && serverIds) {
            throw new UsageException("--verify sample looks documents up by id, which --ids server does not tell");
        }
        OptionalInt bulk = bulkBytes();
        RateLimit limit = rate.limit();
        OptionalInt requests = concurrency();
        long memory = Runtime.getRuntime().maxMemory() / 4;
        LivePlan.Current current = live.current(afterwards.alias().isPresent());
        if (topic.isPresent()) {
            shape.settings.putIfAbsent(RememberedDeletes.SETTING, RememberedDeletes.FOR_TOPICS);
        }
        Optional<LivePlan> liveSource = topic.isPresent()
                ? Optional.of(
                        new LivePlan(topicSource(topic.get(), topicOptions(contentBytesMax)), live.follow, current))
                : Optional.empty();
        Source source = liveSource.isPresent() ? liveSource.get().source() : FileSource.of(sources, files);
        return new JobPlan(
                source,
                index,
                new Target.IndexDefinition(shape.json(), infers() ? inferred(source) : fileMapping),
                Optional.ofNullable(pipeline),
                serverIds,
                "format=%s op=%s id-field=%s routing-field=%s version-field=%s ids=%s pipeline=%s"
                        .formatted(format, operation, idField, routingField, versionField, ids, pipeline),
                bulk,
                requests,
                Math.max(1, maxConcurrency),
                memory,
                maxRetries,
                limits.maxOutage,
                limits.rejects(),
                limit,
                limits.deadLetterFile(),
                Optional.empty(),
                liveSource,
                finish.keepSettings,
                afterwards,
                restart,
                dryRun,
                output.stateFolder());
    }

    private OptionalInt bulkBytes() {
        if (bulkBytes.equals("auto")) {
            return OptionalInt.empty();
        }
        try {
            long bytes = ByteSize.parse(bulkBytes).bytes();
            if (bytes > Runtime.getRuntime().maxMemory() / 4) {
                throw new UsageException(
                        "--bulk-bytes %s is more than a quarter of the memory: give the JVM more with PENSTOCK_JAVA_OPTS=-Xmx1g"
                                .formatted(bulkBytes));
            }
            return OptionalInt.of(Math.toIntExact(bytes));
        } catch (IllegalArgumentException e) {
            throw new UsageException("--bulk-bytes: " + e.getMessage());
        }
    }

    private OptionalInt concurrency() {
        if (concurrency.equals("auto")) {
            return OptionalInt.empty();
        }
        try {
            int number = Integer.parseInt(concurrency);
            if (number < 1 || number > 1000) {
                throw new UsageException("--concurrency is 1 to 1000, or auto");
            }
            return OptionalInt.of(number);
        } catch (NumberFormatException e) {
            throw new UsageException("--concurrency is a number or auto, not '" + concurrency + "'");
        }
    }

    private boolean infers() {
        return mapping.equals("infer") || mapping.equals("infer:strict");
    }

    private Optional<Supplier<String>> inferred(Source source) {
        if (!source.isResumable()) {
            throw new UsageException(
                    "--mapping infer reads the first documents twice, which a pipe cannot: name a file");
        }
        return Optional.of(() -> {
            try {
                InferredMapping inferred = InferredMapping.of(source, mapping.equals("infer:strict"));
                inferred.reasons().forEach(spec.commandLine().getErr()::println);
                return inferred.mapping();
            } catch (SourceException e) {
                throw new UsageException("no mapping can be inferred: " + e.getMessage());
            }
        });
    }

    private Optional<Supplier<String>> mapping() {
        if (mapping.equals("dynamic") || infers()) {
            return Optional.empty();
        }
        String json = ShapeOptions.mappingFile(mapping, "name a file, or dynamic, infer or infer:strict");
        return Optional.of(() -> json);
    }

    private static String oneOf(String option, String value, String... allowed) {
        if (!List.of(allowed).contains(value)) {
            throw new UsageException("%s is %s, not '%s'".formatted(option, String.join(" or ", allowed), value));
        }
        return value;
    }
}
