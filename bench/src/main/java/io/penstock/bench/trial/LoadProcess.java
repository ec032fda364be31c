package io.penstock.bench.trial;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.bench.BenchException;
import io.penstock.bench.experiment.Setup;
import io.penstock.bench.workload.Workloads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * {@code penstock load} or {@code reindex}, or the bare loader, as a process of its own: its CPU and memory are what a
 * user's would be.
 */
final class LoadProcess {
    private static final Duration LONG_ENOUGH = Duration.ofHours(24);
    private static final int TERMINATED = 143;

    /** A file that no load comes to the end of within the time that it is measured. */
    private static final long DOCUMENTS_PER_SECOND_MAX = 150_000;

    private static final long TIMED_BYTES_MAX = 4L << 30;

    private final Program program;
    private final Path work;
    private final long seed;
    private final BooleanSupplier stopped;
    private volatile long acknowledged;

    LoadProcess(Program program, Path work, long seed, BooleanSupplier stopped) {
        this.program = program;
        this.work = work;
        this.seed = seed;
        this.stopped = stopped;
    }

    /** Documents that the load under way has reported as acknowledged; from any thread. */
    long acknowledged() {
        return acknowledged;
    }

    Loaded penstock(Rest servers, String index, Setup setup, Path file) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("load", file.toString()));
        words.addAll(List.of("--format", Workloads.named(setup.workload(), seed).hasActions() ? "bulk" : "ndjson"));
        setup.clients().ifPresent(clients -> words.addAll(List.of("--concurrency", Integer.toString(clients))));
        setup.bulkBytes().ifPresent(bytes -> words.addAll(List.of("--bulk-bytes", bytes + "b")));
        if (setup.mapping().equals("inferred")) {
            words.addAll(List.of("--mapping", "infer"));
            setup.indexSettings().forEach((name, value) -> words.addAll(List.of("--settings", name + "=" + value)));
        }
        return run(words, servers, index, setup);
    }

    /** The same of {@code penstock reindex}. */
    Loaded reindex(Rest servers, String copied, String index, Setup setup) throws IOException, InterruptedException {
        return run(new ArrayList<>(List.of("reindex", copied)), servers, index, setup);
    }

    private Loaded run(List<String> words, Rest servers, String index, Setup setup)
            throws IOException, InterruptedException {
        words.addAll(List.of("--index", index));
        words.addAll(
                program.connection().isEmpty()
                        ? List.of("--target", servers.nodes().getFirst().toString())
                        : program.connection());
        words.addAll(List.of("--state", work.resolve("state").toString(), "--restart"));
        words.addAll(List.of("--output", "json", "--progress", "json"));
        if (!setup.options().contains("--with-envelope")) {
            words.add("--keep-settings"); // all sides load into the settings that the experiment says
        }
        setup.options().stream()
                .filter(option -> !option.equals("--with-envelope"))
                .forEach(words::add);
        Duration time = setup.documents().isPresent()
                ? LONG_ENOUGH
                : Duration.ofMillis((long) ((setup.warmUpSeconds() + setup.seconds() + 2) * 1e3));
        acknowledged = 0;
        Child.Outcome outcome = Child.run(
                program.with(words),
                time,
                stopped,
                line -> acknowledged = line.path("acknowledged").asLong());
        return loaded(outcome, setup);
    }

    /** What a load of a cell reads; made before anything is measured. */
    Path file(Setup setup) throws IOException {
        long documents = setup.documents()
                .orElse((long) ((setup.warmUpSeconds() + setup.seconds() + 5) * DOCUMENTS_PER_SECOND_MAX));
        long bytes = setup.documents().isPresent() ? Long.MAX_VALUE : TIMED_BYTES_MAX;
        return Workloads.file(work.resolve("workload"), setup.workload(), seed, documents, bytes);
    }

    static Loaded loaded(Child.Outcome outcome, Setup setup) {
        boolean whole = setup.documents().isPresent();
        JsonNode summary = outcome.output();
        long acknowledged = summary.at("/documents/indexed").asLong();
        long measured = acknowledged;
        double seconds = summary.at("/seconds/load").asDouble();
        boolean ended = outcome.exit() == 0 || (!whole && outcome.exit() == TERMINATED);
        String trouble = ended
                ? null
                : "the load ended with exit code %d: %s"
                        .formatted(
                                outcome.exit(),
                                outcome.messages().isEmpty()
                                        ? "no message"
                                        : outcome.messages().getLast());
        if (!whole) {
            List<JsonNode> steady = outcome.progress().stream()
                    .filter(line -> line.path("seconds").asDouble() >= setup.warmUpSeconds())
                    .filter(line -> line.path("seconds").asDouble() <= setup.warmUpSeconds() + setup.seconds() + 1)
                    .toList();
            if (steady.size() < 2) {
                trouble = "the load ended before it could be measured: it needs more documents, or a longer duration";
            } else {
                seconds = steady.getLast().path("seconds").asDouble()
                        - steady.getFirst().path("seconds").asDouble();
                measured = steady.getLast().path("acknowledged").asLong()
                        - steady.getFirst().path("acknowledged").asLong();
            }
        }
        return new Loaded(
                acknowledged,
                measured,
                seconds,
                outcome.seconds(),
                -1,
                summary.at("/documents/deadLettered").asLong(),
                quantiles(summary),
                rates(outcome.progress()),
                outcome.cpuSeconds(),
                outcome.peakBytes(),
                1,
                setup.copies() ? "" : window(summary, outcome.progress()), // slices in the cluster have none
                trouble);
    }

    /** A summary has two quantiles and no histogram: one sample stands for each. */
    private static Histogram quantiles(JsonNode summary) {
        var micros = new Histogram(3);
        micros.recordValue(Math.round(summary.at("/requests/p50Ms").asDouble() * 1e3));
        micros.recordValue(Math.round(summary.at("/requests/p99Ms").asDouble() * 1e3));
        return micros;
    }

    private static String window(JsonNode summary, List<JsonNode> progress) {
        JsonNode window = summary.path("window");
        if (window.has("bulkBytes")) {
            return "window %.1f MiB x %d"
                    .formatted(
                            window.path("bulkBytes").asLong() / 1048576.0,
                            window.path("concurrency").asInt());
        }
        return progress.isEmpty()
                ? ""
                : "window " + progress.getLast().path("window").asText();
    }

    /** Between two reports of the progress each. */
    private static List<double[]> rates(List<JsonNode> progress) {
        List<double[]> rates = new ArrayList<>();
        double before = 0;
        double acknowledged = 0;
        for (JsonNode line : progress) {
            double now = line.path("seconds").asDouble();
            double by = line.path("acknowledged").asDouble();
            if (now > before) {
                rates.add(new double[] {now, (by - acknowledged) / (now - before)});
            }
            before = now;
            acknowledged = by;
        }
        return rates;
    }

    /** The whole of a file by {@link BareLoader}, in a JVM with the options of Penstock's. */
    Loaded bare(Rest servers, String index, Setup setup, Path file) throws IOException, InterruptedException {
        if (!program.environment().isEmpty()) {
            throw BenchException.usage("the bare loader knows no credentials: measure it on a cluster without");
        }
        String ids = setup.options().contains("--with-ids") ? "sequential" : "server";
        var process = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                BareLoader.class.getName(),
                servers.nodes().getFirst().toString(),
                index,
                file.toString(),
                ids);
        Child.Outcome outcome = Child.run(process, LONG_ENOUGH, stopped, ignored -> {});
        long loaded = outcome.output().path("documents").asLong();
        double seconds = outcome.output().path("seconds").asDouble();
        @Nullable
        String trouble = outcome.exit() == 0 ? null : "the bare loader failed: " + String.join(" ", outcome.messages());
        return new Loaded(
                loaded,
                loaded,
                seconds,
                outcome.seconds(),
                -1,
                0,
                new Histogram(3),
                List.of(),
                outcome.cpuSeconds(),
                outcome.peakBytes(),
                1,
                "",
                trouble);
    }
}
