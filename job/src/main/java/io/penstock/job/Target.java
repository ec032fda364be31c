package io.penstock.job;

import io.penstock.envelope.Journal;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The cluster that a job writes to. Every call blocks, and throws {@link TargetException} when it cannot answer. */
public interface Target {
    /** Finds out what answers there. The first call of a job. */
    ClusterFacts facts();

    /**
     * Looks an index, alias or data stream up.
     *
     * @return nothing when there is none of that name
     */
    Optional<TargetIndex> find(String name);

    /** Makes an index. */
    TargetIndex create(String name, IndexDefinition definition);

    /** The nodes that hold data. */
    DataNodes dataNodes();

    /** Journals of envelopes, by index: of loads under way, and of those that died. */
    Map<String, Journal> journals();

    /** Its aliases. */
    Aliases aliases();

    /**
     * The nodes that hold data.
     *
     * @param count how many there are
     * @param heapBytesMin heap of the one with the least
     * @param freeDiskBytesMin free disk space of the fullest
     */
    record DataNodes(int count, long heapBytesMin, long freeDiskBytesMin) {}

    /**
     * What is known of a cluster.
     *
     * @param flavour {@code OpenSearch} or {@code Elasticsearch}
     * @param version for example {@code 3.6.0}
     * @param uuid the cluster's own id, the same on all its nodes
     * @param contentBytesMax largest body of a request that its nodes take
     */
    record ClusterFacts(String flavour, String version, String uuid, long contentBytesMax) {}

    /**
     * How a new index is made; what is absent is left to the cluster's defaults and templates.
     *
     * @param settings JSON object of index settings, {@code {}} for none
     * @param mappings makes the JSON object of the mapping; asked only if an index is made
     */
    record IndexDefinition(String settings, Optional<Supplier<String>> mappings) {}
}
