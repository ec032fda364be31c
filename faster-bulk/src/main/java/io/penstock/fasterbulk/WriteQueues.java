package io.penstock.fasterbulk;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides which writes begin now, which wait, and which leave together.
 *
 * <p>Group commit: a write begins at once when its shard is idle, or as long as the node has fewer writes in flight
 * than it has processors for; while it runs, what arrives waits, and leaves together as the next one, or when a thread
 * that writes is {@linkplain #free free} before, one by one. Nobody waits for a clock. The window mode does: everything
 * waits until there is enough or until its time has come.
 *
 * <p>Writes of one key keep the order in which they came. Thread-safe; each method holds one lock for a short time and
 * calls nobody: whoever calls carries out the groups it is given, and says when each has {@linkplain #ended ended}.
 *
 * @param <K> what writes must have in common to leave together
 * @param <W> a write
 */
final class WriteQueues<K, W extends WriteQueues.Write> {
    private final Map<K, Queue<W>> queues = new HashMap<>();
    private int inFlight;

    /** What is weighed of a write. */
    interface Write {
        /** Memory it takes. */
        long bytes();

        /** Documents in it. */
        int items();

        /** When it came, in steady nanoseconds. */
        long arrivedNanos();
    }

    /** Writes that leave together, in the order in which they came. */
    record Group<K, W>(K key, List<W> writes) {}

    /**
     * What follows from an arrival: groups that begin now, and whether the write waits now, and nothing before it does.
     */
    record Arrival<K, W>(List<Group<K, W>> begin, boolean firstToWait) {}

    /**
     * What a group may be.
     *
     * @param mode when writes wait
     * @param bytesMax memory of a group of more than one write
     * @param itemsMax documents in a group of more than one write
     * @param inFlightMax groups in flight on the whole node; a shard that has none may always begin one
     */
    record Limits(Mode mode, long bytesMax, int itemsMax, int inFlightMax) {}

    /** When writes wait. */
    enum Mode {
        /** For the write before them, and for nothing else. */
        GROUP_COMMIT,
        /** For a fixed time, or until there is enough of them. */
        WINDOW
    }

    private static final class Queue<W> {
        final Deque<W> waiting = new ArrayDeque<>();
        int inFlight;
        long bytes;
        int items;
    }

    /** A write has come. */
    synchronized Arrival<K, W> arrive(K key, W write, Limits limits) {
        Queue<W> queue = queues.computeIfAbsent(key, ignored -> new Queue<>());
        if (limits.mode() == Mode.GROUP_COMMIT
                && queue.waiting.isEmpty()
                && (queue.inFlight == 0 || inFlight < limits.inFlightMax())) {
            begun(queue);
            return new Arrival<>(List.of(new Group<>(key, List.of(write))), false);
        }
        queue.waiting.add(write);
        queue.bytes += write.bytes();
        queue.items += write.items();
        boolean enough = queue.bytes >= limits.bytesMax() || queue.items >= limits.itemsMax();
        if (limits.mode() == Mode.WINDOW && enough) {
            Group<K, W> full = next(key, queue, limits);
            return new Arrival<>(List.of(full), queue.waiting.size() == 1);
        }
        return new Arrival<>(List.of(), queue.waiting.size() == 1);
    }

    /** A group has its answer. Gives those that begin now. */
    synchronized List<Group<K, W>> ended(K key, Limits limits) {
        Queue<W> queue = queues.get(key);
        if (queue == null || queue.inFlight == 0) {
            throw new IllegalStateException("a write ended twice: " + key);
        }
        queue.inFlight--;
        inFlight--;
        List<Group<K, W>> begin = new ArrayList<>();
        if (limits.mode() == Mode.GROUP_COMMIT) {
            if (!queue.waiting.isEmpty()) {
                begin.add(next(key, queue, limits));
            }
            while (inFlight < limits.inFlightMax()) {
                Map.Entry<K, Queue<W>> longest = longestWaiting();
                if (longest == null) {
                    break;
                }
                begin.add(next(longest.getKey(), longest.getValue(), limits));
            }
        }
        if (queue.inFlight == 0 && queue.waiting.isEmpty()) {
            queues.remove(key);
        }
        return begin;
    }

    /**
     * A thread that writes has nothing to do: the write that has waited longest for this shard begins by itself, unless
     * there are as many busy shards as processors. Then the thread is free for a moment only, and what waits longer
     * needs fewer fsyncs.
     */
    synchronized Optional<Group<K, W>> free(K key, Limits limits) {
        Queue<W> queue = queues.get(key);
        if (queue == null || queue.waiting.isEmpty() || queues.size() >= limits.inFlightMax()) {
            return Optional.empty();
        }
        W first = removeFirst(queue);
        begun(queue);
        return Optional.of(new Group<>(key, List.of(first)));
    }

    /** Groups whose first write came at or before this time; they begin now, whatever is in flight. */
    synchronized List<Group<K, W>> overdue(long sinceNanos, Limits limits) {
        List<Group<K, W>> begin = new ArrayList<>();
        queues.forEach((key, queue) -> {
            boolean overdue = false;
            while (!queue.waiting.isEmpty()
                    && (overdue || queue.waiting.getFirst().arrivedNanos() - sinceNanos <= 0)) {
                begin.add(next(key, queue, limits));
                overdue = limits.mode() == Mode.WINDOW; // the interval of the first is that of all behind it
            }
        });
        return begin;
    }

    /** Writes that wait now. */
    synchronized int waiting() {
        return queues.values().stream().mapToInt(queue -> queue.waiting.size()).sum();
    }

    /** Keys with anything in flight or waiting. */
    synchronized int size() {
        return queues.size();
    }

    private Map.@Nullable Entry<K, Queue<W>> longestWaiting() {
        Map.Entry<K, Queue<W>> longest = null;
        for (Map.Entry<K, Queue<W>> entry : queues.entrySet()) {
            Deque<W> waiting = entry.getValue().waiting;
            if (!waiting.isEmpty()
                    && (longest == null
                            || waiting.getFirst().arrivedNanos()
                                            - longest.getValue()
                                                    .waiting
                                                    .getFirst()
                                                    .arrivedNanos()
                                    < 0)) {
                longest = entry;
            }
        }
        return longest;
    }

    /** Takes as many from the front as fit, at least one. */
    private Group<K, W> next(K key, Queue<W> queue, Limits limits) {
        List<W> writes = new ArrayList<>();
        long bytes = 0;
        int items = 0;
        while (!queue.waiting.isEmpty()) {
            W write = queue.waiting.getFirst();
            boolean fits = bytes + write.bytes() <= limits.bytesMax() && items + write.items() <= limits.itemsMax();
            if (!writes.isEmpty() && !fits) {
                break;
            }
            writes.add(removeFirst(queue));
            bytes += write.bytes();
            items += write.items();
        }
        begun(queue);
        return new Group<>(key, writes);
    }

    private W removeFirst(Queue<W> queue) {
        W first = queue.waiting.removeFirst();
        queue.bytes -= first.bytes();
        queue.items -= first.items();
        return first;
    }

    private void begun(Queue<W> queue) {
        queue.inFlight++;
        inFlight++;
    }
}
