package io.penstock.bench.trial;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.bench.BenchException;
import io.penstock.bench.experiment.Cell;
import io.penstock.bench.experiment.Measure;
import io.penstock.bench.experiment.Setup;
import io.penstock.bench.workload.Workload;
import io.penstock.bench.workload.Workloads;
import io.penstock.job.TargetException;
import io.penstock.node.NodeException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs one cell once, on an index of its own: make the index, load it, look at the cluster meanwhile, count, merge,
 * look at what is there, remove it. Used by one thread.
 */
public final class Trial {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The only indices that experiments touch; the other one is there for copies only. */
    private static final String INDEX = "penstock-bench";

    private static final String COPIED = "penstock-bench-source";

    private static final int QUIET_QUERIES = 50;
    private static final double[] PERCENTILES_OF_A_SUMMARY = {50, 99};
    private static final double[] PERCENTILES = {0, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.99, 100};

    /** Below this part of the time in requests, or above this part of the machine, what was measured is the client. */
    private static final double WAITING_MIN = 0.7;

    private static final double CPU_MAX = 0.8;

    private final Site site;
    private final LoadProcess processes;
    private final long seed;
    private final BooleanSupplier stopped;
    private volatile LongSupplier acknowledged = () -> 0;

    /**
     * @param work folder for workload files and the state of loads
     * @param stopped whether to end early; what was begun is then of no use
     */
    public Trial(Site site, Program program, Path work, long seed, BooleanSupplier stopped) {
        this.site = site;
        this.processes = new LoadProcess(program, work, seed, stopped);
        this.seed = seed;
        this.stopped = stopped;
    }

    /** Documents acknowledged so far in the run that is under way, where that can be seen; from any thread. */
    public long acknowledged() {
        return acknowledged.getAsLong();
    }

    /** Measures it. Trouble with the cluster makes an unusable result, not an exception. */
    public TrialResult run(Cell cell, int round) throws InterruptedException {
        Setup setup = cell.setup();
        try {
            boolean cold = !site.has(setup.servers());
            Rest servers = site.servers(setup.servers());
            if (cold) {
                run(servers, setup.warmingUp(), () -> load(servers, setup.warmingUp(), Path.of("")));
            }
            Path file = setup.loader() == Setup.Loader.CLIENTS ? Path.of("") : processes.file(setup);
            if (setup.copies()) {
                return copying(servers, setup, file, () -> measured(servers, cell, round, file));
            }
            return run(servers, setup, () -> measured(servers, cell, round, file));
        } catch (TargetException | NodeException | IOException e) {
            return unusable(cell, round, String.valueOf(e.getMessage()));
        } catch (BenchException e) {
            if (e.reason() == BenchException.Reason.USAGE) {
                throw e;
            }
            return unusable(cell, round, String.valueOf(e.getMessage()));
        }
    }

    private static TrialResult unusable(Cell cell, int round, String why) {
        return new TrialResult(cell.name(), round, Map.of(), List.of(), Map.of(), "", Optional.of(why));
    }

    @FunctionalInterface
    private interface Work<T> {
        T run() throws IOException, InterruptedException;
    }

    /** Does something with an index as a setup says, and leaves the cluster as it was. */
    private <T> T run(Rest servers, Setup setup, Work<T> work) throws IOException, InterruptedException {
        var index = new TrialIndex(servers, INDEX);
        index.drop();
        Map<String, String> before = persistent(servers, setup.clusterSettings().keySet());
        try {
            clusterSettings(servers, setup.clusterSettings());
            if (!setup.mapping().equals("inferred")) { // else the load itself makes it
                index.create(setup, workload(setup).mapping());
            }
            return work.run();
        } finally {
            index.drop();
            clusterSettings(servers, before);
        }
    }

    /** The same with something to copy, which is there before. */
    private <T> T copying(Rest servers, Setup setup, Path file, Work<T> work) throws IOException, InterruptedException {
        var copied = new TrialIndex(servers, COPIED);
        copied.drop();
        try {
            copied.create(setup, workload(setup).mapping());
            Loaded loaded = processes.bare(servers, COPIED, setup, file);
            if (loaded.trouble() != null) {
                throw new BenchException(BenchException.Reason.FAILED, loaded.trouble());
            }
            copied.count(); // after a refresh, so that all of it is seen
            return run(servers, setup, work);
        } finally {
            copied.drop();
        }
    }

    private Workload workload(Setup setup) {
        return Workloads.named(setup.workload(), seed);
    }

    /** What somebody has set, to put it back; null for what nobody has. */
    private static Map<String, @Nullable String> persistent(Rest servers, Set<String> names) {
        Map<String, @Nullable String> values = new LinkedHashMap<>();
        if (!names.isEmpty()) {
            JsonNode all = servers.get("/_cluster/settings?flat_settings=true").path("persistent");
            names.forEach(name -> values.put(name, all.path(name).asText(null)));
        }
        return values;
    }

    private static void clusterSettings(Rest servers, Map<String, @Nullable String> settings) {
        if (!settings.isEmpty()) {
            servers.call(
                    "PUT",
                    "/_cluster/settings",
                    JSON.createObjectNode()
                            .set("persistent", JSON.valueToTree(settings))
                            .toString());
        }
    }

    private Loaded load(Rest servers, Setup setup, Path file) throws IOException, InterruptedException {
        return switch (setup.loader()) {
            case CLIENTS -> {
                var running = new Clients(servers, INDEX, setup, workload(setup), stopped);
                acknowledged = running::acknowledged;
                yield running.run();
            }
            case PENSTOCK -> {
                acknowledged = processes::acknowledged;
                yield processes.penstock(servers, INDEX, setup, file);
            }
            case BARE -> {
                acknowledged = () -> 0; // it reports nothing
                yield processes.bare(servers, INDEX, setup, file);
            }
            case REINDEX -> {
                acknowledged = processes::acknowledged;
                yield processes.reindex(servers, COPIED, INDEX, setup);
            }
            case SERVER_REINDEX -> {
                var running = new ServerReindex(servers, stopped);
                acknowledged = running::acknowledged;
                yield running.run(COPIED, INDEX);
            }
        };
    }

    private TrialResult measured(Rest servers, Cell cell, int round, Path file)
            throws IOException, InterruptedException {
        Setup setup = cell.setup();
        String query = setup.query() && !setup.mapping().equals("inferred")
                ? workload(setup).query()
                : "";
        var index = new TrialIndex(servers, INDEX);
        Telemetry.Nodes before = Telemetry.Nodes.of(servers);
        var telemetry = new Telemetry(servers, INDEX, query, setup.plugin());
        Loaded loaded;
        try (telemetry) {
            loaded = load(servers, setup, file);
        }
        if (setup.mapping().equals("inferred")) {
            index.mark();
        }
        if (stopped.getAsBoolean()) {
            return unusable(cell, round, "it was stopped");
        }
        Telemetry.Nodes after = Telemetry.Nodes.of(servers);
        var values = new EnumMap<Measure, Double>(Measure.class);
        ofLoad(loaded, values);
        double millions = loaded.acknowledged() / 1e6;
        if (millions > 0) {
            values.put(Measure.SERVER_CPU, (after.cpuSeconds() - before.cpuSeconds()) / millions);
        }
        values.put(Measure.HEAP_MB, telemetry.heapBytesMax() / 1e6);
        if (!telemetry.queryMillis().isEmpty()) {
            values.put(Measure.QUERY_P50_MS, median(telemetry.queryMillis()));
        }
        long counted = index.count();
        Optional<String> unusable = unusable(loaded, setup, counted, before, after);
        if (unusable.isEmpty()) {
            afterwards(servers, index, setup, values);
        }
        Map<String, List<double[]>> series = new LinkedHashMap<>();
        series.put("documents/s", loaded.perSecond());
        series.putAll(telemetry.series());
        return new TrialResult(cell.name(), round, values, quantiles(loaded, setup), series, loaded.note(), unusable);
    }

    private static void ofLoad(Loaded loaded, Map<Measure, Double> values) {
        values.put(Measure.DOCS_PER_SECOND, loaded.measured() / loaded.seconds());
        values.put(Measure.SECONDS, loaded.wholeSeconds());
        if (loaded.micros().getTotalCount() > 0) {
            values.put(Measure.P50_MS, loaded.micros().getValueAtPercentile(50) / 1e3);
            values.put(Measure.P99_MS, loaded.micros().getValueAtPercentile(99) / 1e3);
        }
        long asked = loaded.measured() + loaded.rejected() + loaded.failed();
        if (loaded.rejected() >= 0 && asked > 0) {
            values.put(Measure.REJECTED_PERCENT, 100.0 * loaded.rejected() / asked);
        }
        if (loaded.acknowledged() > 0) {
            values.put(Measure.CLIENT_CPU, loaded.cpuSeconds() / (loaded.acknowledged() / 1e6));
        }
        if (loaded.peakBytes() > 0) {
            values.put(Measure.CLIENT_MB, loaded.peakBytes() / 1e6);
        }
    }

    private Optional<String> unusable(
            Loaded loaded, Setup setup, long counted, Telemetry.Nodes before, Telemetry.Nodes after) {
        if (loaded.trouble() != null) {
            return Optional.of(loaded.trouble());
        }
        if (before.changedTo(after)) {
            return Optional.of("a node began anew or left");
        }
        if (loaded.measured() == 0) {
            return Optional.of("no document was acknowledged while it was measured: give it a longer duration");
        }
        // What changes and is deleted by its id has no number that could be known.
        if (counted < loaded.acknowledged() && !workload(setup).hasActions()) {
            return Optional.of("the index holds %,d documents and %,d were acknowledged"
                    .formatted(counted, loaded.acknowledged()));
        }
        if (loaded.waiting() < WAITING_MIN) {
            return Optional.of("the clients were the bottleneck: they waited for the cluster only %.0f%% of the time"
                    .formatted(100 * loaded.waiting()));
        }
        double cores = loaded.cpuSeconds()
                / loaded.wholeSeconds()
                / Runtime.getRuntime().availableProcessors();
        if (setup.loader() == Setup.Loader.CLIENTS && cores > CPU_MAX) {
            return Optional.of(
                    "the clients were the bottleneck: they used %.0f%% of the machine's CPU".formatted(100 * cores));
        }
        return Optional.empty();
    }

    private void afterwards(Rest servers, TrialIndex index, Setup setup, Map<Measure, Double> values) {
        servers.call("POST", "/" + INDEX + "/_flush", "");
        TrialIndex.Stored loaded = index.stored();
        values.put(Measure.DISK_MB, loaded.megabytes());
        values.put(Measure.SEGMENTS, loaded.segments());
        if (setup.forceMerge().isEmpty()) {
            return;
        }
        String query = workload(setup).query();
        values.put(Measure.QUIET_QUERY_MS, quietQuery(servers, query));
        long from = System.nanoTime();
        servers.call(
                "POST",
                "/%s/_forcemerge?max_num_segments=%d"
                        .formatted(INDEX, setup.forceMerge().getAsInt()),
                "");
        values.put(Measure.MERGE_SECONDS, (System.nanoTime() - from) / 1e9);
        servers.call("POST", "/" + INDEX + "/_refresh", "");
        TrialIndex.Stored merged = index.stored();
        values.put(Measure.MERGED_MB, merged.megabytes());
        values.put(Measure.MERGED_SEGMENTS, merged.segments());
        values.put(Measure.MERGED_QUERY_MS, quietQuery(servers, query));
        values.put(Measure.MERGED_SIZE, ratio(values, Measure.MERGED_MB, Measure.DISK_MB));
        values.put(Measure.MERGED_QUERY, ratio(values, Measure.MERGED_QUERY_MS, Measure.QUIET_QUERY_MS));
    }

    private static double ratio(Map<Measure, Double> values, Measure of, Measure by) {
        return values.getOrDefault(of, 0.0) / values.getOrDefault(by, 1.0);
    }

    /** The median of some queries one after the other, the first half not counted; the request cache is not asked. */
    private static double quietQuery(Rest servers, String query) {
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < 2 * QUIET_QUERIES; i++) {
            long from = System.nanoTime();
            servers.call(
                    "POST",
                    "/" + INDEX + "/_search?request_cache=false",
                    "{\"track_total_hits\":true,\"size\":10,\"query\":" + query + "}");
            if (i >= QUIET_QUERIES) {
                millis.add((System.nanoTime() - from) / 1e6);
            }
        }
        return median(millis);
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private static List<double[]> quantiles(Loaded loaded, Setup setup) {
        List<double[]> quantiles = new ArrayList<>();
        if (loaded.micros().getTotalCount() > 0) {
            for (double percent : setup.loader() == Setup.Loader.CLIENTS ? PERCENTILES : PERCENTILES_OF_A_SUMMARY) {
                quantiles.add(new double[] {percent, loaded.micros().getValueAtPercentile(percent) / 1e3});
            }
        }
        return quantiles;
    }
}
