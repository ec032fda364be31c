package io.penstock.envelope;

import java.util.Map;
import java.util.TreeMap;

/** Which settings make a load fast, and what each must be for the index and cluster at hand. */
public final class LoadSettings {
    private static final String REPLICAS = "index.number_of_replicas";
    private static final String AUTO_EXPAND = "index.auto_expand_replicas";
    private static final String FINAL_PIPELINE = "index.final_pipeline";
    private static final long FLUSH_THRESHOLD_MAX = 2L << 30;

    /** The servers' own default; less would make a load slower. */
    private static final long FLUSH_THRESHOLD_DEFAULT = 512L << 20;

    private LoadSettings() {}

    /**
     * Index settings during a load.
     *
     * @param current settings that are set on the index
     * @param heapBytes heap of the smallest node that holds data; operations since the last flush are partly kept there
     * @param freeDiskBytes free disk space of the fullest node that holds data
     * @param finalPipeline whether the index's final pipeline runs during the load
     */
    public static Map<String, String> of(
            Map<String, String> current, long heapBytes, long freeDiskBytes, boolean finalPipeline) {
        var wanted = new TreeMap<String, String>();
        wanted.put("index.refresh_interval", "-1");
        wanted.put(REPLICAS, "0");
        if (!current.getOrDefault(AUTO_EXPAND, "false").equals("false")) {
            wanted.put(AUTO_EXPAND, "false"); // or the cluster would make replicas again by itself
        }
        wanted.put("index.translog.durability", "async");
        wanted.put("index.translog.sync_interval", "60s");
        long threshold = Math.min(FLUSH_THRESHOLD_MAX, Math.min(heapBytes / 2, freeDiskBytes / 20));
        if (threshold > FLUSH_THRESHOLD_DEFAULT) {
            wanted.put("index.translog.flush_threshold_size", (threshold >> 20) + "mb");
        }
        if (!finalPipeline && current.containsKey(FINAL_PIPELINE)) {
            wanted.put(FINAL_PIPELINE, "_none");
        }
        return wanted;
    }

    /**
     * Cluster settings while replicas are made: as many recoveries at once, and as fast, as a serving cluster takes.
     */
    public static Map<String, String> ofReplicaStep() {
        return Map.of(
                "cluster.routing.allocation.node_concurrent_recoveries",
                "4",
                "indices.recovery.max_bytes_per_sec",
                "200mb");
    }
}
