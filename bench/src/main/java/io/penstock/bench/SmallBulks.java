package io.penstock.bench;

import io.penstock.node.ClusterSpec;
import io.penstock.node.Distribution;
import io.penstock.node.LocalCluster;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The faster-bulk plugin switched off and on, in turns, on the same node, under many small bulks. */
@Command(name = "small-bulks", description = "The faster-bulk plugin off and on, under many small bulks.")
final class SmallBulks implements Callable<Integer> {
    private static final String INDEX = "small-bulks";
    private static final long SEED = 42;

    /** What the plugin does; the first is what the others are compared with. */
    enum Variant {
        OFF("false", "group_commit", "false"),
        GROUP("true", "group_commit", "false"),
        DIRECTED("false", "group_commit", "true"),
        BOTH("true", "group_commit", "true"),
        WINDOW("true", "window", "false");

        final String settings;

        Variant(String enabled, String mode, String directed) {
            this.settings =
                    "{\"persistent\":{\"faster_bulk.enabled\":%s,\"faster_bulk.mode\":\"%s\",\"faster_bulk.directed_routing\":%s}}"
                            .formatted(enabled, mode, directed);
        }
    }

    private record Cell(int shards, String durability, int clients, int documents) {
        @Override
        public String toString() {
            return "%d shards, %s, %d clients x %d".formatted(shards, durability, clients, documents);
        }
    }

    @Mixin
    private Settings settings = new Settings();

    @Option(names = "--shards", split = ",", paramLabel = "N", description = "Default: 1,5,30.")
    private List<Integer> shards = List.of(1, 5, 30);

    @Option(names = "--clients", split = ",", paramLabel = "N", description = "Default: 1,4,16,64.")
    private List<Integer> clients = List.of(1, 4, 16, 64);

    @Option(names = "--documents", split = ",", paramLabel = "N", description = "In a bulk. Default: 1,10,50,200,1000.")
    private List<Integer> documents = List.of(1, 10, 50, 200, 1000);

    @Option(names = "--durability", split = ",", paramLabel = "D", description = "Default: request,async.")
    private List<String> durabilities = List.of("request", "async");

    @Option(names = "--variants", split = ",", paramLabel = "V", description = "Beside OFF. Default: GROUP,BOTH.")
    private List<Variant> variants = List.of(Variant.GROUP, Variant.BOTH);

    @Option(names = "--nodes", paramLabel = "N", description = "Default: 1.")
    private int nodes = 1;

    @Option(names = "--replicas", paramLabel = "N", description = "Default: 0.")
    private int replicas;

    @Option(names = "--processors", paramLabel = "N", description = "node.processors, as if the nodes were larger.")
    private int processors;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            defaultValue = "6",
            description = "Measured of each cell. Default: 6.")
    private double seconds = 6;

    private final HttpClient http = HttpClient.newHttpClient();

    @Override
    public Integer call() throws Exception {
        Report report = settings.report("small-bulks");
        report.circumstance(
                "nodes, replicas, node.processors",
                nodes + ", " + replicas + ", " + (processors == 0 ? "as they are" : processors));
        LocalCluster cluster = LocalCluster.at(settings.work, "bench-small-bulks");
        Thread undertaker = Thread.ofPlatform().unstarted(cluster::delete);
        Runtime.getRuntime().addShutdownHook(undertaker);
        Map<String, String> nodeSettings =
                processors == 0 ? Map.of() : Map.of("node.processors", Integer.toString(processors));
        Path plugin = settings.home().resolve("faster-bulk/target/faster-bulk.zip");
        URI url = cluster.start(
                        new ClusterSpec(Distribution.DEFAULT, nodes, settings.heap, nodeSettings, List.of(plugin)),
                        System.err::println)
                .url()
                .orElseThrow();
        try {
            measure(url, report);
        } finally {
            cluster.delete();
            Runtime.getRuntime().removeShutdownHook(undertaker);
        }
        report.publish(settings.results(), System.out);
        return 0;
    }

    private void measure(URI url, Report report) throws Exception {
        Settings.progress("warming up");
        // Each variant as much: what one has not yet compiled would look like its cost.
        for (Variant variant : order(0)) {
            cell(url, new Cell(5, "request", 16, 10), variant, 10);
            cell(url, new Cell(5, "async", 16, 50), variant, 5);
        }
        for (Cell cell : cells()) {
            Map<Variant, List<BulkClients.Result>> results = new TreeMap<>();
            for (int round = 0; round < settings.rounds(); round++) {
                for (Variant variant : order(round)) {
                    results.computeIfAbsent(variant, ignored -> new ArrayList<>())
                            .add(cell(url, cell, variant, seconds));
                }
            }
            tell(cell, results, report);
        }
    }

    /** Forwards and backwards by turns, so that what one leaves to the next falls on all. */
    private List<Variant> order(int round) {
        List<Variant> order = new ArrayList<>(List.of(Variant.OFF));
        order.addAll(variants);
        return round % 2 == 0 ? order : order.reversed();
    }

    private List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (String durability : durabilities) {
            for (int shardCount : shards) {
                for (int clientCount : clients) {
                    for (int documentCount : documents) {
                        cells.add(new Cell(shardCount, durability, clientCount, documentCount));
                    }
                }
            }
        }
        return cells;
    }

    private static void tell(Cell cell, Map<Variant, List<BulkClients.Result>> results, Report report) {
        List<BulkClients.Result> off = results.getOrDefault(Variant.OFF, List.of());
        var line = new LinkedHashMap<String, String>();
        results.forEach((variant, each) -> {
            Spread rate = new Spread(
                    each.stream().map(BulkClients.Result::docsPerSecond).toList());
            Spread p99 =
                    new Spread(each.stream().map(BulkClients.Result::p99Millis).toList());
            report.add("%s: docs/s %s".formatted(cell, variant), rate, 0);
            report.add("%s: p99 ms %s".formatted(cell, variant), p99, 1);
            line.put(variant.name(), "%,.0f (p99 %.0f ms)".formatted(rate.median(), p99.median()));
            if (variant != Variant.OFF) {
                Spread ratio = Spread.ratios(
                        rate,
                        new Spread(off.stream()
                                .map(BulkClients.Result::docsPerSecond)
                                .toList()));
                Spread slower = Spread.ratios(
                        p99,
                        new Spread(
                                off.stream().map(BulkClients.Result::p99Millis).toList()));
                report.add("%s: docs/s %s / OFF".formatted(cell, variant), ratio, 2);
                report.add("%s: p99 %s / OFF".formatted(cell, variant), slower, 2);
                line.put(variant + " / OFF", "%.2f (p99 %.2f)".formatted(ratio.median(), slower.median()));
            }
        });
        Settings.progress(cell + ": " + line);
    }

    /** One variant on an index of its own. */
    private BulkClients.Result cell(URI url, Cell cell, Variant variant, double measured) throws Exception {
        send(url, "DELETE", "/" + INDEX + "?ignore_unavailable=true", "");
        send(url, "PUT", "/_cluster/settings", variant.settings);
        send(url, "PUT", "/" + INDEX + "?wait_for_active_shards=all", """
                {"settings":{"number_of_shards":%d,"number_of_replicas":%d,"refresh_interval":"%s",
                "index.translog.durability":"%s"},"mappings":%s}""".formatted(
                        cell.shards(),
                        replicas,
                        settings.refreshInterval.equals("default") ? "1s" : settings.refreshInterval,
                        cell.durability(),
                        TaxiWorkload.MAPPING));
        return new BulkClients(url, INDEX, cell.documents(), SEED)
                .run(cell.clients(), cell.documents(), settings.quick ? 1.5 : 3, measured);
    }

    private void send(URI url, String method, String path, String body) throws Exception {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(url.resolve(path))
                        .timeout(Duration.ofMinutes(2))
                        .header("Content-Type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
            throw new IllegalStateException(method + " " + path + ": " + answer.body());
        }
    }
}
