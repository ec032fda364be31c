package io.penstock.bench.trial;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.bench.BenchException;
import io.penstock.core.time.Threads;
import io.penstock.job.TargetException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Looks at the cluster once a second while it is loaded: what its nodes say of themselves, what the kernel says of
 * those on this machine, and how long a query takes. Sums over all nodes. Owns two threads; series are read after
 * {@link #close}.
 */
final class Telemetry implements AutoCloseable {
    private static final String STATS =
            "/_nodes/stats/jvm,thread_pool,indexing_pressure,indices,process,fs?filter_path="
                    + "nodes.*.jvm.timestamp,nodes.*.jvm.uptime_in_millis,nodes.*.jvm.mem.heap_used_in_bytes,"
                    + "nodes.*.jvm.gc.collectors.*.collection_time_in_millis,nodes.*.thread_pool.write,"
                    + "nodes.*.indexing_pressure.memory.current,nodes.*.process.cpu,nodes.*.fs.io_stats.total,"
                    + "nodes.*.indices.refresh,nodes.*.indices.flush,nodes.*.indices.merges,nodes.*.indices.translog,"
                    + "nodes.*.indices.segments.count,nodes.*.indices.store.size_in_bytes";
    private static final double MEGA = 1e6;

    private final Rest servers;
    private final String search;
    private final String query;
    private final boolean plugin;
    private final long began = System.nanoTime();
    private final Map<String, List<double[]>> series = new LinkedHashMap<>();
    private final Map<String, Double> before = new TreeMap<>();
    private final List<Double> queryMillis = new ArrayList<>();
    private final List<double[]> queries = new ArrayList<>();
    private final Thread watching;
    private final Thread querying;
    private volatile boolean ended;
    private double heapBytesMax;

    /** @param query searched for once a second; empty for none */
    Telemetry(Rest servers, String index, String query, boolean plugin) {
        this.servers = servers;
        this.search = "/" + index + "/_search?size=10";
        this.query = query;
        this.plugin = plugin;
        this.watching = Thread.ofVirtual().name("telemetry").start(() -> eachSecond(this::look));
        this.querying = Thread.ofVirtual().name("query").start(() -> eachSecond(this::query));
    }

    private void eachSecond(Runnable look) {
        while (!ended) {
            long next = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
            try {
                look.run();
            } catch (TargetException | BenchException e) {
                // A cluster that is too busy, or not willing, to say how it is: this second is missing in the curves.
            }
            try {
                TimeUnit.NANOSECONDS.sleep(Math.max(0, next - System.nanoTime()));
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void query() {
        if (query.isEmpty()) {
            return;
        }
        long from = System.nanoTime();
        servers.call("POST", search, "{\"query\":" + query + "}");
        double millis = (System.nanoTime() - from) / 1e6;
        queryMillis.add(millis);
        queries.add(new double[] {seconds(), millis});
    }

    private double seconds() {
        return (System.nanoTime() - began) / 1e9;
    }

    private void look() {
        JsonNode nodes = servers.get(STATS).path("nodes");
        double at = seconds();
        double heap = sum(nodes, "/jvm/mem/heap_used_in_bytes");
        heapBytesMax = Math.max(heapBytesMax, heap);
        add("heap, MB", at, heap / MEGA);
        add("write queue", at, sum(nodes, "/thread_pool/write/queue"));
        add("write threads at work", at, sum(nodes, "/thread_pool/write/active"));
        change("rejected by the write pool", at, sum(nodes, "/thread_pool/write/rejected"), 1);
        add("indexing pressure, MB", at, sum(nodes, "/indexing_pressure/memory/current/all_in_bytes") / MEGA);
        change("refreshes", at, sum(nodes, "/indices/refresh/total"), 1);
        change("flushes", at, sum(nodes, "/indices/flush/total"), 1);
        change("refreshing, ms", at, sum(nodes, "/indices/refresh/total_time_in_millis"), 1);
        add("merges under way", at, sum(nodes, "/indices/merges/current"));
        change("merging, ms", at, sum(nodes, "/indices/merges/total_time_in_millis"), 1);
        change("merges throttled, ms", at, sum(nodes, "/indices/merges/total_throttled_time_in_millis"), 1);
        add("segments", at, sum(nodes, "/indices/segments/count"));
        add("translog not yet flushed, MB", at, sum(nodes, "/indices/translog/uncommitted_size_in_bytes") / MEGA);
        add("on disk, MB", at, sum(nodes, "/indices/store/size_in_bytes") / MEGA);
        change("garbage collection, ms", at, collected(nodes), 1);
        change("CPU of the servers, cores", at, sum(nodes, "/process/cpu/total_in_millis"), 1e-3);
        change("written to disks, MB", at, sum(nodes, "/fs/io_stats/total/write_kilobytes"), 1e-3);
        if (!servers.pids().isEmpty()) {
            add("memory of the servers, MB", at, resident() / MEGA);
        }
        if (plugin) {
            JsonNode all = servers.get("/_plugins/_faster_bulk/stats").path("nodes");
            change("bulks into the plugin", at, sum(all, "/faster_bulk/requests"), 1);
            change("writes out of the plugin", at, sum(all, "/faster_bulk/writes"), 1);
            add("held by the plugin, MB", at, sum(all, "/faster_bulk/held_bytes") / MEGA);
        }
    }

    private static double sum(JsonNode nodes, String pointer) {
        double sum = 0;
        for (JsonNode node : nodes) {
            sum += node.at(pointer).asDouble();
        }
        return sum;
    }

    private static double collected(JsonNode nodes) {
        double millis = 0;
        for (JsonNode node : nodes) {
            millis += sum(node.at("/jvm/gc/collectors"), "/collection_time_in_millis");
        }
        return millis;
    }

    private double resident() {
        double bytes = 0;
        for (long pid : servers.pids()) {
            try {
                for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
                    if (line.startsWith("VmRSS:")) {
                        bytes += Long.parseLong(line.replaceAll("\\D", "")) * 1024.0;
                    }
                }
            } catch (IOException gone) {
                // a node that ended; the check at the end finds that
            }
        }
        return bytes;
    }

    private void add(String name, double at, double value) {
        series.computeIfAbsent(name, ignored -> new ArrayList<>()).add(new double[] {at, value});
    }

    /** What grew since the last look, for each second. */
    private void change(String name, double at, double total, double factor) {
        Double last = before.put(name, total);
        Double lastAt = before.put(name + " at", at);
        if (last != null && lastAt != null && at > lastAt) {
            add(name, at, Math.max(0, total - last) * factor / (at - lastAt));
        }
    }

    /**
     * Seconds of CPU that the nodes have used since they began, and in which second they began.
     *
     * @param began by the identities of the nodes
     */
    record Nodes(double cpuSeconds, Map<String, Long> began) {
        static Nodes of(Rest servers) {
            JsonNode nodes = servers.get(STATS).path("nodes");
            Map<String, Long> began = new TreeMap<>();
            nodes.properties()
                    .forEach(node -> began.put(
                            node.getKey(),
                            (node.getValue().at("/jvm/timestamp").asLong()
                                            - node.getValue()
                                                    .at("/jvm/uptime_in_millis")
                                                    .asLong())
                                    / 1_000));
            return new Nodes(sum(nodes, "/process/cpu/total_in_millis") / 1e3, began);
        }

        /** Whether a node has begun anew or is another one, give or take the rounding of two clocks. */
        boolean changedTo(Nodes later) {
            return !began.keySet().equals(later.began.keySet())
                    || began.entrySet().stream()
                            .anyMatch(node ->
                                    Math.abs(later.began.getOrDefault(node.getKey(), 0L) - node.getValue()) > 2);
        }
    }

    /** One list of seconds and value for each thing that was looked at. */
    Map<String, List<double[]>> series() {
        if (!queries.isEmpty()) {
            series.put("query, ms", queries);
        }
        return series;
    }

    /** How long each query took. */
    List<Double> queryMillis() {
        return List.copyOf(queryMillis);
    }

    double heapBytesMax() {
        return heapBytesMax;
    }

    @Override
    public void close() {
        ended = true;
        Threads.joinUninterrupted(watching);
        Threads.joinUninterrupted(querying);
    }
}
