package io.penstock.fasterbulk;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.opensearch.cluster.ClusterChangedEvent;
import org.opensearch.cluster.ClusterStateListener;

/** What the plugin has done on this node since it started, by index. Thread-safe. */
final class FasterBulkStats implements ClusterStateListener {
    private final Map<String, OfIndex> indices = new ConcurrentHashMap<>();
    private final LongAdder errors = new LongAdder();

    /** The counts of one index. */
    OfIndex of(String index) {
        OfIndex known = indices.get(index);
        return known != null ? known : indices.computeIfAbsent(index, ignored -> new OfIndex());
    }

    /** The plugin could not do what it should have done, and left it to the server. */
    void onError() {
        errors.increment();
    }

    @Override
    public void clusterChanged(ClusterChangedEvent event) {
        if (!event.indicesDeleted().isEmpty()) {
            indices.keySet().retainAll(event.state().metadata().indices().keySet());
        }
    }

    /** As nested maps, lists, strings and numbers. */
    Map<String, Object> toMap() {
        var perIndex = new TreeMap<String, Object>();
        indices.forEach((name, counts) -> perIndex.put(name, counts.toMap()));
        var all = new OfIndex();
        indices.values().forEach(all::add);
        Map<String, Object> map = all.toMap();
        map.put("errors", errors.sum());
        map.put("indices", perIndex);
        return map;
    }

    /** Counts of one index. Thread-safe. */
    static final class OfIndex {
        private final LongAdder requests = new LongAdder();
        private final LongAdder items = new LongAdder();
        private final LongAdder writes = new LongAdder();
        private final LongAdder heldBytes = new LongAdder();
        private final LongAdder directed = new LongAdder();
        private final Histogram requestsPerWrite = new Histogram();
        private final Histogram itemsPerWrite = new Histogram();
        private final Histogram waitMicros = new Histogram();
        private final Map<PassThrough, LongAdder> passThroughs = new ConcurrentHashMap<>();

        void arrived(int itemCount, long bytes) {
            requests.increment();
            items.add(itemCount);
            heldBytes.add(bytes);
        }

        void begun(List<ShardWrite> group, long nowNanos) {
            writes.increment();
            int groupItems = 0;
            for (ShardWrite write : group) {
                groupItems += write.items();
                write.counts().heldBytes.add(-write.bytes());
                waitMicros.add((nowNanos - write.arrivedNanos()) / 1_000);
            }
            requestsPerWrite.add(group.size());
            itemsPerWrite.add(groupItems);
        }

        void passedThrough(PassThrough why) {
            passThroughs.computeIfAbsent(why, ignored -> new LongAdder()).increment();
        }

        /** A document has got an id of the plugin's choice. */
        void directed() {
            directed.increment();
        }

        private void add(OfIndex other) {
            requests.add(other.requests.sum());
            items.add(other.items.sum());
            writes.add(other.writes.sum());
            heldBytes.add(other.heldBytes.sum());
            directed.add(other.directed.sum());
            requestsPerWrite.add(other.requestsPerWrite);
            itemsPerWrite.add(other.itemsPerWrite);
            waitMicros.add(other.waitMicros);
            other.passThroughs.forEach((why, count) -> passThroughs
                    .computeIfAbsent(why, ignored -> new LongAdder())
                    .add(count.sum()));
        }

        private Map<String, Object> toMap() {
            var map = new TreeMap<String, Object>();
            map.put("requests", requests.sum());
            map.put("items", items.sum());
            map.put("writes", writes.sum());
            map.put("held_bytes", heldBytes.sum());
            map.put("directed_documents", directed.sum());
            map.put("requests_per_write", requestsPerWrite.toList());
            map.put("items_per_write", itemsPerWrite.toList());
            map.put("wait_micros", waitMicros.toList());
            var reasons = new TreeMap<String, Object>();
            passThroughs.forEach((why, count) -> reasons.put(why.key(), count.sum()));
            map.put("passed_through", reasons);
            return map;
        }
    }

    /** Counts of values up to 1, 2, 4, 8 and so on. */
    private static final class Histogram {
        private static final int BUCKETS = 32;

        private final LongAdder[] counts = new LongAdder[BUCKETS];

        Histogram() {
            for (int i = 0; i < BUCKETS; i++) {
                counts[i] = new LongAdder();
            }
        }

        void add(long value) {
            int bits = value <= 1 ? 0 : 64 - Long.numberOfLeadingZeros(value - 1);
            counts[Math.min(bits, BUCKETS - 1)].increment();
        }

        void add(Histogram other) {
            for (int i = 0; i < BUCKETS; i++) {
                counts[i].add(other.counts[i].sum());
            }
        }

        /** Each bucket that is not empty, smallest first. */
        List<Object> toList() {
            List<Object> list = new ArrayList<>();
            for (int i = 0; i < BUCKETS; i++) {
                long count = counts[i].sum();
                if (count > 0) {
                    list.add(Map.of("at_most", 1L << i, "count", count));
                }
            }
            return list;
        }
    }
}
