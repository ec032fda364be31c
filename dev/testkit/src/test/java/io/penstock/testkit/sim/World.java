package io.penstock.testkit.sim;

import io.penstock.core.checkpoint.Checkpoint;
import io.penstock.core.document.Document;
import io.penstock.core.document.Operation;
import io.penstock.testkit.model.ModelCluster;
import io.penstock.testkit.seeds.Seeds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What outlives a run of Penstock: the source, the cluster with the requests that are still on their way to it, the
 * local disk, and the time. A seed decides everything.
 */
final class World {
    static final long SECOND = 1_000_000_000L;
    static final int PUMP_LIMIT = 5_000_000;

    /** One document of the source. */
    record Row(Operation operation, @Nullable String id, long version, String body) {}

    private record Event(long at, long order, boolean server, Runnable action) {}

    private static final Comparator<Event> SOONEST =
            Comparator.comparingLong(Event::at).thenComparingLong(Event::order);

    final Seeds seeds;
    final Luck luck;
    final List<Row> rows;
    final ModelCluster cluster;
    final Map<Integer, String> deadLettered = new TreeMap<>();
    final Map<String, Integer> garbled = new HashMap<>();
    final int bulkBytes;
    Optional<Checkpoint> checkpoint = Optional.empty();
    long now = 1;
    private long order;
    private PriorityQueue<Event> events = new PriorityQueue<>(SOONEST);

    World(Seeds seeds) {
        this.seeds = seeds;
        this.luck = new Luck(seeds);
        this.rows = rows(seeds, luck);
        this.bulkBytes = seeds.intBetween(200, 4000);
        this.cluster =
                new ModelCluster(luck.asyncTranslog, luck.tooLarge ? Math.max(400, bulkBytes / 2) : Long.MAX_VALUE);
    }

    private static List<Row> rows(Seeds seeds, Luck luck) {
        var rows = new ArrayList<Row>();
        int count = seeds.intBetween(1, 400);
        int ids = Math.max(1, seeds.intBetween(count / 4, count + 1));
        for (int i = 0; i < count; i++) {
            String kind =
                    luck.badDocuments && seeds.chance(0.05) ? seeds.pick(List.of("unfit", "poison", "drop")) : "good";
            String id = luck.ownIds ? "id-" + seeds.intBetween(0, ids) : null;
            boolean delete = luck.ownIds && seeds.chance(0.1);
            long version = luck.versions ? i + 1 : Document.NO_VERSION;
            String body = delete
                    ? ""
                    : "{\"row\":%d,\"kind\":\"%s\",\"pad\":\"%s\"}".formatted(i, kind, seeds.asciiWord(0, 60));
            rows.add(new Row(delete ? Operation.DELETE : Operation.INDEX, id, version, body));
        }
        return rows;
    }

    /** Something happens later. What the server does goes on when Penstock is killed; the rest dies with it. */
    void after(long nanos, boolean server, Runnable action) {
        events.add(new Event(now + nanos, order++, server, action));
    }

    /** Penstock is gone: only what the server still does will happen. */
    void forgetClient() {
        var left = new PriorityQueue<>(SOONEST);
        events.stream().filter(Event::server).forEach(left::add);
        events = left;
    }

    /** Lets time pass to the next event; false when there is none. */
    boolean step() {
        Event next = events.poll();
        if (next == null) {
            return false;
        }
        now = Math.max(now, next.at());
        next.action().run();
        return true;
    }

    /** What the index must hold in the end: the last operation of each id in the order of the source wins. */
    Map<String, String> expected(SimulatedLoad load) {
        var expected = new HashMap<String, String>();
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            if (row.operation() == Operation.DELETE) {
                expected.remove(load.idOf(i));
            } else if (row.body().contains("\"good\"")) {
                expected.put(load.idOf(i), row.body());
            }
        }
        return expected;
    }

    /** Rows that can only end in the dead letters. */
    Set<Integer> hopeless() {
        var hopeless = new HashSet<Integer>();
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).body().contains("\"unfit\"") || rows.get(i).body().contains("\"poison\"")) {
                hopeless.add(i);
            }
        }
        return hopeless;
    }
}
