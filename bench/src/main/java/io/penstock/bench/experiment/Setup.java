package io.penstock.bench.experiment;

import io.penstock.bench.BenchException;
import io.penstock.bench.workload.Workloads;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Everything that is set for one run: the servers, the index, and who loads it how. docs/bench.md describes each
 * factor.
 *
 * @param nodeSettings settings in the configuration file of each node
 * @param clusterSettings settings of the cluster, by their full names
 * @param indexSettings settings of the index, by their full names
 * @param mapping {@code explicit}, {@code dynamic}, {@code inferred} or {@code keyword}
 * @param loader who loads
 * @param clients how many requests at a time; empty for as many as the window finds
 * @param bulkBytes size of a bulk; empty for what {@code bulkDocuments} or the window says
 * @param rate documents a second that are sent, however slow the answers are; empty for as fast as they come
 * @param resend whether rejected documents are sent again
 * @param documents load so many, to the last one; empty to load for {@code seconds}
 * @param forceMerge segments to merge each shard into after the load; empty for none
 * @param query whether somebody searches once a second meanwhile
 * @param options more options for {@code penstock load}
 */
public record Setup(
        int nodes,
        String heap,
        boolean plugin,
        Map<String, String> nodeSettings,
        Map<String, String> clusterSettings,
        Map<String, String> indexSettings,
        String workload,
        String mapping,
        Loader loader,
        OptionalInt clients,
        OptionalInt bulkDocuments,
        OptionalLong bulkBytes,
        OptionalLong rate,
        boolean resend,
        double warmUpSeconds,
        double seconds,
        OptionalLong documents,
        OptionalInt forceMerge,
        boolean query,
        List<String> options) {
    /** Who loads. */
    public enum Loader {
        /** Plain clients that send prepared bulks and wait for the answers: what the published experiments did. */
        CLIENTS,
        /** {@code penstock load}, a process of its own. */
        PENSTOCK,
        /** The same file with four requests of 5 MiB and no promises: the yardstick of {@code penstock load}. */
        BARE,
        /** {@code penstock reindex} of an index with the documents, which is there before. */
        REINDEX,
        /** The cluster's own {@code _reindex} of it: the yardstick of {@code penstock reindex}. */
        SERVER_REINDEX;

        static Loader of(String name) throws WrongFactorException {
            Set<String> names = Arrays.stream(values()).map(Loader::text).collect(Collectors.toSet());
            return valueOf(oneOf("loader", name, names).toUpperCase(Locale.ROOT).replace('-', '_'));
        }

        String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private static final Set<String> FACTORS = Set.of(
            "nodes",
            "heap",
            "plugin",
            "workload",
            "mapping",
            "loader",
            "clients",
            "bulk_documents",
            "bulk_bytes",
            "rate",
            "resend",
            "warm_up",
            "duration",
            "documents",
            "force_merge",
            "query",
            "options");

    private static final int WARM_UP_CLIENTS = 4;
    private static final int WARM_UP_DOCUMENTS = 500;
    private static final double WARM_UP_SECONDS = 10;
    /** They come to an end by themselves. */
    private static final Set<Loader> WHOLE = Set.of(Loader.BARE, Loader.REINDEX, Loader.SERVER_REINDEX);

    private static final Set<String> MAPPINGS = Set.of("explicit", "dynamic", "inferred", "keyword");
    private static final Pattern DURATION = Pattern.compile("(\\d+(?:\\.\\d+)?)(s|m|h)");
    private static final Pattern SIZE = Pattern.compile("(\\d+)(b|kb|mb)");

    /** What is wrong with a factor. */
    public static final class WrongFactorException extends Exception {
        private final String factor;

        WrongFactorException(String factor, String message) {
            super(message);
            this.factor = factor;
        }

        /** Its name. */
        public String factor() {
            return factor;
        }
    }

    /**
     * Reads all factors.
     *
     * @param given by name; {@code index.}, {@code cluster.} and {@code node.} begin the names of settings
     */
    public static Setup of(Map<String, String> given) throws WrongFactorException {
        var factors = new TreeMap<>(given);
        for (String name : factors.keySet()) {
            if (!FACTORS.contains(name) && !name.matches("(index|cluster|node)\\..+")) {
                throw new WrongFactorException(
                        name,
                        "there is no factor '%s': take %s, or a setting that begins with index., cluster. or node."
                                .formatted(
                                        name,
                                        String.join(
                                                ", ", FACTORS.stream().sorted().toList())));
            }
        }
        String workload = factors.getOrDefault("workload", "systembase");
        try {
            Workloads.checkName(workload);
        } catch (BenchException e) {
            throw new WrongFactorException("workload", String.valueOf(e.getMessage()));
        }
        String mapping = oneOf("mapping", factors.getOrDefault("mapping", "explicit"), MAPPINGS);
        Loader loader = Loader.of(factors.getOrDefault("loader", "clients"));
        boolean window = factors.getOrDefault("clients", "").equals("window");
        if (window && loader != Loader.PENSTOCK) {
            throw new WrongFactorException("clients", "only 'loader: penstock' has a window");
        }
        for (String factor : factors.keySet()) {
            if (!heeds(loader, factor)) {
                throw new WrongFactorException(factor, "'loader: %s' takes no notice of it".formatted(loader.text()));
            }
        }
        if (WHOLE.contains(loader) && !factors.containsKey("documents")) {
            throw new WrongFactorException(
                    "documents", "'loader: %s' loads a number of documents: say how many".formatted(loader.text()));
        }
        if (mapping.equals("inferred") && loader != Loader.PENSTOCK) {
            throw new WrongFactorException("mapping", "only 'loader: penstock' infers a mapping");
        }
        return new Setup(
                (int) number("nodes", factors.getOrDefault("nodes", "1"), 1, 9),
                factors.getOrDefault("heap", "1g"),
                yes("plugin", factors.getOrDefault("plugin", "false")),
                below("node.", factors),
                below("cluster.", factors),
                indexSettings(factors),
                workload,
                mapping,
                loader,
                window
                        ? OptionalInt.empty()
                        : OptionalInt.of((int) number("clients", factors.getOrDefault("clients", "4"), 1, 1024)),
                optionalInt("bulk_documents", factors, 1, 100_000),
                factors.containsKey("bulk_bytes")
                        ? OptionalLong.of(bytes(factors.getOrDefault("bulk_bytes", "")))
                        : OptionalLong.empty(),
                factors.containsKey("rate")
                        ? OptionalLong.of(number("rate", factors.getOrDefault("rate", ""), 1, 100_000_000))
                        : OptionalLong.empty(),
                yes("resend", factors.getOrDefault("resend", "false")),
                seconds("warm_up", factors.getOrDefault("warm_up", "5s")),
                seconds("duration", factors.getOrDefault("duration", "20s")),
                factors.containsKey("documents")
                        ? OptionalLong.of(
                                number("documents", factors.getOrDefault("documents", ""), 1, 10_000_000_000L))
                        : OptionalLong.empty(),
                factors.getOrDefault("force_merge", "off").equals("off")
                        ? OptionalInt.empty()
                        : optionalInt("force_merge", factors, 1, 1000),
                yes("query", factors.getOrDefault("query", "true")),
                factors.containsKey("options")
                        ? List.of(factors.getOrDefault("options", "").strip().split("\\s+"))
                        : List.of());
    }

    private static boolean heeds(Loader loader, String factor) {
        return switch (factor) {
            case "options" -> loader != Loader.CLIENTS && loader != Loader.SERVER_REINDEX;
            case "bulk_documents", "rate", "resend" -> loader == Loader.CLIENTS;
            case "bulk_bytes", "clients", "warm_up", "duration" -> !WHOLE.contains(loader);
            default -> true;
        };
    }

    private static Map<String, String> below(String prefix, Map<String, String> factors) {
        var below = new TreeMap<String, String>();
        factors.forEach((name, value) -> {
            if (name.startsWith(prefix)) {
                below.put(name.substring(prefix.length()), value);
            }
        });
        return below;
    }

    /** With one shard and no replica where nothing is said: what a cluster's default is differs between versions. */
    private static Map<String, String> indexSettings(Map<String, String> factors) {
        var settings = new TreeMap<>(Map.of("index.number_of_shards", "1", "index.number_of_replicas", "0"));
        below("index.", factors).forEach((name, value) -> settings.put("index." + name, value));
        return settings;
    }

    private static String oneOf(String factor, String value, Set<String> choices) throws WrongFactorException {
        if (!choices.contains(value)) {
            throw new WrongFactorException(
                    factor,
                    "'%s' is not possible: take %s"
                            .formatted(
                                    value,
                                    String.join(", ", choices.stream().sorted().toList())));
        }
        return value;
    }

    private static boolean yes(String factor, String value) throws WrongFactorException {
        return oneOf(factor, value, Set.of("true", "false")).equals("true");
    }

    private static OptionalInt optionalInt(String factor, Map<String, String> factors, int min, int max)
            throws WrongFactorException {
        String value = factors.get(factor);
        return value == null ? OptionalInt.empty() : OptionalInt.of((int) number(factor, value, min, max));
    }

    private static long number(String factor, String value, long min, long max) throws WrongFactorException {
        try {
            long number = Long.parseLong(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new WrongFactorException(factor, "'%s' is no number from %d to %d".formatted(value, min, max));
    }

    private static double seconds(String factor, String value) throws WrongFactorException {
        Matcher duration = DURATION.matcher(value);
        if (!duration.matches()) {
            throw new WrongFactorException(factor, "'%s' is no duration: write it like 30s, 5m or 2h".formatted(value));
        }
        double number = Double.parseDouble(duration.group(1));
        return switch (duration.group(2)) {
            case "h" -> number * 3_600;
            case "m" -> number * 60;
            default -> number;
        };
    }

    private static long bytes(String value) throws WrongFactorException {
        Matcher size = SIZE.matcher(value.toLowerCase(Locale.ROOT));
        if (!size.matches()) {
            throw new WrongFactorException(
                    "bulk_bytes", "'%s' is no size: write it like 512kb or 5mb".formatted(value));
        }
        long number = Long.parseLong(size.group(1));
        return switch (size.group(2)) {
            case "mb" -> number << 20;
            case "kb" -> number << 10;
            default -> number;
        };
    }

    /** Some plain clients for a short while, for servers whose JVM has compiled nothing yet. */
    public Setup warmingUp() {
        return new Setup(
                nodes,
                heap,
                plugin,
                nodeSettings,
                clusterSettings,
                indexSettings,
                workload,
                "explicit",
                Loader.CLIENTS,
                OptionalInt.of(WARM_UP_CLIENTS),
                OptionalInt.of(WARM_UP_DOCUMENTS),
                OptionalLong.empty(),
                OptionalLong.empty(),
                false,
                0,
                WARM_UP_SECONDS,
                OptionalLong.empty(),
                OptionalInt.empty(),
                false,
                List.of());
    }

    /** Whether the documents come from another index. */
    public boolean copies() {
        return loader == Loader.REINDEX || loader == Loader.SERVER_REINDEX;
    }

    /** What needs servers of its own; two runs with equal ones can share them. */
    public record Servers(int nodes, String heap, boolean plugin, Map<String, String> settings) {}

    public Servers servers() {
        return new Servers(nodes, heap, plugin, nodeSettings);
    }

    /** How long it loads, as far as that can be known. */
    public Optional<Double> loadSeconds() {
        return documents.isPresent() ? Optional.empty() : Optional.of(warmUpSeconds + seconds);
    }
}
