package io.penstock.bench.trial;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.bench.BenchException;
import io.penstock.bench.experiment.Cell;
import io.penstock.bench.experiment.Measure;
import io.penstock.bench.experiment.Setup;
import io.penstock.bench.workload.Workload;
import io.penstock.bench.workload.Workloads;
import io.penstock.job.TargetException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;

/**
 * Runs one cell once, on an index of its own: make the index, load it, look at the cluster meanwhile, count, merge,
 * look at what is there, remove it. Used by one thread.
 */
public final class Trial {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The only index that experiments touch. */
    private static final String INDEX = "penstock-bench";

    private static final int QUIET_QUERIES = 50;
    private static final double[] PERCENTILES = {0, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.99, 100};

    /** Below this part of the time in requests, what was measured is the client. */
    private static final double BUSY_MIN = 0.7;

    private final Site site;
    private final LoadProcess processes;
    private final long seed;
    private final BooleanSupplier stopped;

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

    /** Measures it. Trouble with the cluster makes an unusable result, not an exception. */
    public TrialResult run(Cell cell, int round) throws InterruptedException {
        Setup setup = cell.setup();
        boolean cold = !site.has(setup.servers());
        Rest servers = site.servers(setup.servers());
        try {
            if (cold) {
                prepare(servers, setup.warmingUp());
                new Clients(servers, INDEX, setup.warmingUp(), seed, stopped).run();
            }
            prepare(servers, setup);
            try {
                return measured(servers, cell, round);
            } finally {
                remove(servers, setup);
            }
        } catch (TargetException | BenchException | IOException e) {
            if (e instanceof BenchException bench && bench.reason() == BenchException.Reason.USAGE) {
                throw bench;
            }
            return new TrialResult(
                    cell.name(), round, Map.of(), List.of(), Map.of(), "", Optional.of(String.valueOf(e.getMessage())));
        }
    }

    private void prepare(Rest servers, Setup setup) {
        servers.call("DELETE", "/" + INDEX + "?ignore_unavailable=true", "");
        clusterSettings(servers, setup.clusterSettings());
        if (setup.mapping().equals("inferred")) {
            return; // the load itself makes the index
        }
        ObjectNode body = JSON.createObjectNode();
        body.set("settings", JSON.valueToTree(setup.indexSettings()));
        Workload workload = Workloads.named(setup.workload(), seed);
        switch (setup.mapping()) {
            case "explicit" ->
                body.set("mappings", Rest.json(workload.mapping().getBytes(java.nio.charset.StandardCharsets.UTF_8)));
            case "keyword" ->
                body.putObject("mappings")
                        .putArray("dynamic_templates")
                        .addObject()
                        .putObject("texts")
                        .put("match_mapping_type", "string")
                        .putObject("mapping")
                        .put("type", "keyword")
                        .put("ignore_above", 8191);
            default -> {
                // as the server finds it
            }
        }
        servers.call("PUT", "/" + INDEX + "?wait_for_active_shards=all&timeout=2m", body.toString());
    }

    private static void clusterSettings(Rest servers, Map<String, String> settings) {
        if (!settings.isEmpty()) {
            servers.call(
                    "PUT",
                    "/_cluster/settings",
                    JSON.createObjectNode()
                            .set("persistent", JSON.valueToTree(settings))
                            .toString());
        }
    }

    private static void remove(Rest servers, Setup setup) {
        servers.call("DELETE", "/" + INDEX + "?ignore_unavailable=true", "");
        Map<String, String> defaults = new LinkedHashMap<>();
        setup.clusterSettings().keySet().forEach(name -> defaults.put(name, null));
        clusterSettings(servers, defaults);
    }

    private TrialResult measured(Rest servers, Cell cell, int round) throws IOException, InterruptedException {
        Setup setup = cell.setup();
        String query = setup.query() && !setup.mapping().equals("inferred")
                ? Workloads.named(setup.workload(), seed).query()
                : "";
        Telemetry.Nodes before = Telemetry.Nodes.of(servers);
        var telemetry = new Telemetry(servers, INDEX, query, setup.plugin());
        Loaded loaded;
        try (telemetry) {
            loaded = switch (setup.loader()) {
                case CLIENTS -> new Clients(servers, INDEX, setup, seed, stopped).run();
                case PENSTOCK -> processes.penstock(servers, INDEX, setup);
                case BARE -> processes.bare(servers, INDEX, setup);
            };
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
        long counted = count(servers);
        afterwards(servers, setup, values);
        Map<String, List<double[]>> series = new LinkedHashMap<>();
        series.put("documents/s", loaded.perSecond());
        series.putAll(telemetry.series());
        return new TrialResult(
                cell.name(),
                round,
                values,
                quantiles(loaded.micros()),
                series,
                loaded.note(),
                unusable(loaded, setup, counted, before, after));
    }

    private static void ofLoad(Loaded loaded, Map<Measure, Double> values) {
        values.put(Measure.DOCS_PER_SECOND, loaded.measured() / loaded.seconds());
        values.put(Measure.SECONDS, loaded.seconds());
        if (loaded.micros().getTotalCount() > 0) {
            values.put(Measure.P50_MS, loaded.micros().getValueAtPercentile(50) / 1e3);
            values.put(Measure.P99_MS, loaded.micros().getValueAtPercentile(99) / 1e3);
        }
        long asked = loaded.measured() + loaded.rejected() + loaded.failed();
        values.put(Measure.REJECTED_PERCENT, asked == 0 ? 0 : 100.0 * loaded.rejected() / asked);
        if (loaded.acknowledged() > 0) {
            values.put(Measure.CLIENT_CPU, loaded.cpuSeconds() / (loaded.acknowledged() / 1e6));
        }
        if (loaded.peakBytes() > 0) {
            values.put(Measure.CLIENT_MB, loaded.peakBytes() / 1e6);
        }
    }

    private Optional<String> unusable(
            Loaded loaded, Setup setup, long counted, Telemetry.Nodes before, Telemetry.Nodes after) {
        if (stopped.getAsBoolean()) {
            return Optional.of("it was stopped");
        }
        if (loaded.trouble() != null) {
            return Optional.of(loaded.trouble());
        }
        if (before.changedTo(after)) {
            return Optional.of("a node began anew or left");
        }
        if (loaded.measured() == 0) {
            return Optional.of("no document was acknowledged while it was measured: give it a longer duration");
        }
        long expected = LoadProcess.expected(loaded, setup).orElse(0);
        if (counted < expected) {
            return Optional.of("the index holds %,d documents and %,d were acknowledged".formatted(counted, expected));
        }
        if (loaded.busy() < BUSY_MIN) {
            return Optional.of("the clients were the bottleneck: they waited for the cluster only %.0f%% of the time"
                    .formatted(100 * loaded.busy()));
        }
        return Optional.empty();
    }

    private static long count(Rest servers) {
        servers.call("POST", "/" + INDEX + "/_refresh", "");
        return servers.get("/" + INDEX + "/_count").path("count").asLong();
    }

    private void afterwards(Rest servers, Setup setup, Map<Measure, Double> values) {
        servers.call("POST", "/" + INDEX + "/_flush", "");
        JsonNode primaries = primaries(servers);
        values.put(Measure.DISK_MB, primaries.at("/store/size_in_bytes").asDouble() / 1e6);
        values.put(Measure.SEGMENTS, primaries.at("/segments/count").asDouble());
        if (setup.forceMerge().isEmpty()) {
            return;
        }
        String query = Workloads.named(setup.workload(), seed).query();
        values.put(Measure.QUIET_QUERY_MS, quietQuery(servers, query));
        long from = System.nanoTime();
        servers.call(
                "POST",
                "/%s/_forcemerge?max_num_segments=%d"
                        .formatted(INDEX, setup.forceMerge().getAsInt()),
                "");
        values.put(Measure.MERGE_SECONDS, (System.nanoTime() - from) / 1e9);
        servers.call("POST", "/" + INDEX + "/_refresh", "");
        JsonNode merged = primaries(servers);
        values.put(Measure.MERGED_MB, merged.at("/store/size_in_bytes").asDouble() / 1e6);
        values.put(Measure.MERGED_SEGMENTS, merged.at("/segments/count").asDouble());
        values.put(Measure.MERGED_QUERY_MS, quietQuery(servers, query));
    }

    private static JsonNode primaries(Rest servers) {
        return servers.get("/" + INDEX + "/_stats/store,segments?filter_path=_all.primaries")
                .at("/_all/primaries");
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

    private static List<double[]> quantiles(Histogram micros) {
        List<double[]> quantiles = new ArrayList<>();
        if (micros.getTotalCount() > 0) {
            for (double percent : PERCENTILES) {
                quantiles.add(new double[] {percent, micros.getValueAtPercentile(percent) / 1e3});
            }
        }
        return quantiles;
    }
}
