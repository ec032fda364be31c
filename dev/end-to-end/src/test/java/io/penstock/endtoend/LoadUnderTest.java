package io.penstock.endtoend;

import io.penstock.cluster.Cluster;
import io.penstock.cluster.ClusterOptions;
import io.penstock.cluster.Credentials;
import io.penstock.core.document.Operation;
import io.penstock.core.event.LoadEvent;
import io.penstock.core.load.RateLimit;
import io.penstock.core.source.SourceException;
import io.penstock.core.time.Clock;
import io.penstock.job.FinishPlan;
import io.penstock.job.Job;
import io.penstock.job.JobPlan;
import io.penstock.job.JobReport;
import io.penstock.job.Target;
import io.penstock.source.file.DeadLetterSource;
import io.penstock.source.file.FileOptions;
import io.penstock.source.file.FileSource;
import io.penstock.source.file.Format;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One load as a test sets it up: the whole job in this process, with small bulks so that there are many requests.
 * {@link #run} may be called again, which resumes as the same command would. Used by one thread; a listener may be
 * called by others.
 */
public final class LoadUnderTest {
    private static final int BULK_BYTES = 16 << 10;

    private final Path folder;
    private final Path file;
    private final String index;
    private final URI target;
    private Operation operation = Operation.INDEX;
    private Optional<String> idField = Optional.empty();
    private boolean keepSettings = true;
    private RateLimit rate = RateLimit.none();
    private FinishPlan finish = FinishPlan.COUNT;
    private Optional<String> versionField = Optional.empty();
    private Optional<String> routingField = Optional.empty();
    private long maxDocumentBytes = FileOptions.DEFAULT_MAX_DOCUMENT_BYTES;
    private Optional<String> pipeline = Optional.empty();
    private Optional<String> mapping = Optional.empty();
    private String settings = "{\"index.number_of_shards\":1,\"index.number_of_replicas\":0}";
    private OptionalInt bulkBytes = OptionalInt.of(BULK_BYTES);
    private OptionalInt concurrency = OptionalInt.of(4);
    private Duration outageMax = Duration.ofSeconds(60);
    private Duration deadline = Duration.ofSeconds(20);
    private long memoryBytes = 64L << 20;
    private Credentials credentials = Credentials.none();
    private OptionalLong rejectsMax = OptionalLong.empty();
    private Consumer<LoadEvent> listener = event -> {};
    private volatile @Nullable Job running;

    /**
     * @param folder an empty folder, for the state
     * @param file NDJSON
     * @param target a node, or a proxy before one
     */
    public LoadUnderTest(Path folder, Path file, String index, URI target) {
        this.folder = folder;
        this.file = file;
        this.index = index;
        this.target = target;
    }

    /** What is done with each document; with an id field each has an id of its own. */
    public LoadUnderTest operation(Operation wanted, @Nullable String id) {
        operation = wanted;
        idField = Optional.ofNullable(id);
        return this;
    }

    public LoadUnderTest versionField(String field) {
        versionField = Optional.of(field);
        return this;
    }

    public LoadUnderTest routingField(String field) {
        routingField = Optional.of(field);
        return this;
    }

    /** Longer documents are bad documents. */
    public LoadUnderTest maxDocumentBytes(long limit) {
        maxDocumentBytes = limit;
        return this;
    }

    public LoadUnderTest pipeline(String id) {
        pipeline = Optional.of(id);
        return this;
    }

    public LoadUnderTest mapping(String json) {
        mapping = Optional.of(json);
        return this;
    }

    /** Settings of the index, should the load make it. */
    public LoadUnderTest settings(String json) {
        settings = json;
        return this;
    }

    /** Bulks of this size, so many at once. */
    public LoadUnderTest window(int bytes, int requests) {
        bulkBytes = OptionalInt.of(bytes);
        concurrency = OptionalInt.of(requests);
        return this;
    }

    /** Under an envelope, and with what comes after the load. */
    public LoadUnderTest enveloped(FinishPlan wanted) {
        keepSettings = false;
        finish = wanted;
        return this;
    }

    public LoadUnderTest rate(RateLimit wanted) {
        rate = wanted;
        return this;
    }

    /** The window finds its size itself. */
    public LoadUnderTest freeWindow() {
        bulkBytes = OptionalInt.empty();
        concurrency = OptionalInt.empty();
        return this;
    }

    /** Fixed bulk size, free concurrency. */
    public LoadUnderTest freeConcurrency() {
        concurrency = OptionalInt.empty();
        return this;
    }

    public LoadUnderTest outageMax(Duration limit) {
        outageMax = limit;
        return this;
    }

    public LoadUnderTest requestDeadline(Duration limit) {
        deadline = limit;
        return this;
    }

    /** Budget for everything in flight, which also bounds how far reading is ahead. */
    public LoadUnderTest memory(long bytes) {
        memoryBytes = bytes;
        return this;
    }

    public LoadUnderTest credentials(Credentials wanted) {
        credentials = wanted;
        return this;
    }

    public LoadUnderTest rejectsMax(long limit) {
        rejectsMax = OptionalLong.of(limit);
        return this;
    }

    /** Called with each event of the load, by whichever thread it happens on. */
    public LoadUnderTest onEvent(Consumer<LoadEvent> wanted) {
        listener = wanted;
        return this;
    }

    /** Asks the running load to end, as SIGTERM would. */
    public void stop(io.penstock.job.ExitCode signal) {
        Job job = running;
        if (job != null) {
            job.stop(signal);
        }
    }

    /**
     * How a load ended.
     *
     * @param events what happened, in order
     * @param told the lines and warnings for people
     * @param letters every dead letter of the job so far
     */
    public record Outcome(
            JobReport report,
            List<LoadEvent> events,
            List<String> told,
            List<DeadLetterSource.Letter> letters,
            Duration took) {
        /** Every sentence of the report, in one text. */
        public String messages() {
            return String.join(" | ", report.messages());
        }

        /** The events of one kind. */
        public <T extends LoadEvent> List<T> events(Class<T> kind) {
            return events.stream().filter(kind::isInstance).map(kind::cast).toList();
        }
    }

    public Outcome run() {
        Heard heard = new Heard(listener);
        long began = System.nanoTime();
        try (Cluster cluster = new Cluster(
                new ClusterOptions(List.of(target), credentials, ClusterOptions.Tls.DEFAULT, false, deadline))) {
            Job job = new Job(plan(), cluster, heard, Clock.SYSTEM);
            running = job;
            JobReport report = job.run();
            return new Outcome(
                    report,
                    List.copyOf(heard.events),
                    List.copyOf(heard.told),
                    report.deadLetters().map(LoadUnderTest::letters).orElse(List.of()),
                    Duration.ofNanos(System.nanoTime() - began));
        } catch (SourceException e) {
            throw new IllegalStateException("the test's own source cannot be read", e);
        } finally {
            running = null;
        }
    }

    private JobPlan plan() throws SourceException {
        FileOptions options =
                new FileOptions(Format.NDJSON, operation, idField, routingField, versionField, maxDocumentBytes);
        return new JobPlan(
                FileSource.of(List.of(file.toString()), options),
                index,
                new Target.IndexDefinition(settings, mapping.map(json -> () -> json)),
                pipeline,
                false,
                "",
                bulkBytes,
                concurrency,
                8,
                memoryBytes,
                0,
                outageMax,
                rejectsMax,
                rate,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                keepSettings,
                finish,
                false,
                false,
                folder.resolve("state"));
    }

    private static List<DeadLetterSource.Letter> letters(Path file) {
        if (!Files.exists(file)) {
            return List.of();
        }
        try (var letters = DeadLetterSource.letters(file)) {
            return letters.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Heard implements Job.JobListener {
        final Queue<LoadEvent> events = new ConcurrentLinkedQueue<>();
        final Queue<String> told = new ConcurrentLinkedQueue<>();
        private final Consumer<LoadEvent> also;

        Heard(Consumer<LoadEvent> also) {
            this.also = also;
        }

        @Override
        public void on(LoadEvent event) {
            events.add(event);
            also.accept(event);
        }

        @Override
        public void onStep(String what) {
            told.add(what);
        }

        @Override
        public void onWarning(String what) {
            told.add(what);
        }
    }
}
