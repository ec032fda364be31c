package io.penstock.node;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a local cluster shall be.
 *
 * @param nodes 1 to 9 processes; more than one form a real cluster
 * @param heap heap of each node as the JVM takes it, {@code 512m} or {@code 2g}, at least 128m
 * @param settings further settings of every node, such as {@code thread_pool.write.queue_size}; a list is written with
 *     commas. Names, addresses, ports, paths and discovery are ours and refused here
 * @param plugins archives of plugins that every node has; the data of a cluster is the same with them and without
 */
public record ClusterSpec(
        Distribution distribution,
        int nodes,
        String heap,
        Map<String, String> settings,
        @JsonSetter(nulls = Nulls.AS_EMPTY) List<Path> plugins) {
    private static final Pattern HEAP = Pattern.compile("(\\d{1,6})([mMgG])");
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9_-]+(\\.[A-Za-z0-9_*-]+)*");
    private static final Pattern OURS = Pattern.compile(
            "path\\..*|network\\..*|(http|transport)\\.(|bind_|publish_)(host|port)|transport\\.profiles\\..*"
                    + "|node\\.name|cluster\\.(name|initial_.*)|discovery\\..*");
    private static final int HEAP_MIN_MEGABYTES = 128;

    /** One node of the default distribution with 1 GB of heap. */
    public static final ClusterSpec DEFAULT = new ClusterSpec(Distribution.DEFAULT, 1, "1g", Map.of());

    public ClusterSpec {
        if (nodes < 1 || nodes > 9) {
            throw wrong(nodes + " nodes are not possible: choose 1 to 9.");
        }
        Matcher size = HEAP.matcher(heap);
        if (!size.matches() || megabytes(size) < HEAP_MIN_MEGABYTES) {
            throw wrong("\"" + heap + "\" is no heap size: write it like 512m or 2g, at least 128m.");
        }
        for (String key : settings.keySet()) {
            if (!KEY.matcher(key).matches()) {
                throw wrong("\"" + key + "\" is no name of a setting.");
            }
            if (OURS.matcher(key).matches()) {
                throw wrong("The setting " + key + " of a local node is chosen by Penstock: leave it out.");
            }
        }
        settings = Map.copyOf(settings);
        plugins = List.copyOf(plugins);
    }

    /** Without plugins. */
    public ClusterSpec(Distribution distribution, int nodes, String heap, Map<String, String> settings) {
        this(distribution, nodes, heap, settings, List.of());
    }

    /** Whether data written under one of the two can be used under the other. */
    boolean sameShape(ClusterSpec other) {
        return distribution.equals(other.distribution) && nodes == other.nodes;
    }

    /** What it is in a few words, such as {@code OpenSearch 3.6.0 with 3 nodes}. */
    String title() {
        return distribution.title() + " with " + (nodes == 1 ? "1 node" : nodes + " nodes");
    }

    private static long megabytes(Matcher size) {
        return Long.parseLong(size.group(1)) * (size.group(2).equalsIgnoreCase("g") ? 1024 : 1);
    }

    private static NodeException wrong(String message) {
        return new NodeException(NodeException.Reason.USAGE, message);
    }
}
