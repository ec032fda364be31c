package io.penstock.job;

import java.util.Optional;

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
     * @param mappings JSON object of the mapping
     */
    record IndexDefinition(String settings, Optional<String> mappings) {}
}
