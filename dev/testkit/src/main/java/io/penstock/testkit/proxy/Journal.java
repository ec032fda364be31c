package io.penstock.testkit.proxy;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * What went through the proxy, counted from the client's requests and the server's real replies before any fault edits
 * them.
 *
 * <p>Safe for any thread; maps and lists are copies. An item counts as answered when the proxy has read the server's
 * whole reply, which is before the client sees a byte of it. A document that was acknowledged to nobody because the
 * proxy was closed in between is not counted.
 */
public final class Journal {

    /** Enough for the assertions of one test; older heads are forgotten. */
    private static final int HEADS_KEPT = 10_000;

    private final Map<ItemKey, Integer> attempted = new ConcurrentHashMap<>();
    private final Map<ItemKey, Integer> acknowledged = new ConcurrentHashMap<>();
    private final Map<Integer, Long> itemStatuses = new ConcurrentHashMap<>();
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong items = new AtomicLong();
    private final AtomicLong bodyBytes = new AtomicLong();
    private final AtomicLong unreadableReplies = new AtomicLong();
    private final AtomicInteger concurrent = new AtomicInteger();
    private final AtomicInteger maxConcurrent = new AtomicInteger();
    private final Deque<RequestHead> heads = new ArrayDeque<>();

    Journal() {}

    /** How many times the server answered an item with 2xx. */
    public Map<ItemKey, Integer> acknowledged() {
        return Map.copyOf(acknowledged);
    }

    /** The ids that the server answered with 2xx at least once, whatever the operation. */
    public Set<String> acknowledgedIds() {
        return ids(acknowledged);
    }

    /** How many times the client sent an item; actions without an id are not counted here. */
    public Map<ItemKey, Integer> attempted() {
        return Map.copyOf(attempted);
    }

    /** The ids that the client sent at least once, whatever the operation. */
    public Set<String> attemptedIds() {
        return ids(attempted);
    }

    /** How many items the server answered with each status. */
    public Map<Integer, Long> itemStatuses() {
        return Map.copyOf(itemStatuses);
    }

    /** Bulk requests whose head arrived. */
    public long requests() {
        return requests.get();
    }

    /** Actions in all bulk bodies that were read. */
    public long items() {
        return items.get();
    }

    /** Bytes of all bulk bodies that were read, as on the wire without chunk frames. */
    public long bodyBytes() {
        return bodyBytes.get();
    }

    /**
     * Bulk replies with 2xx that did not answer every action sent: cut, not JSON, or items left out by
     * {@code filter_path}. Above zero, {@link #acknowledged()} is a lower bound.
     */
    public long unreadableReplies() {
        return unreadableReplies.get();
    }

    /**
     * The most bulk requests that were under way at one time, from the request head to the last byte of the reply. A
     * hanging request counts until the client hangs up.
     */
    public int maxConcurrentRequests() {
        return maxConcurrent.get();
    }

    /** Bulk requests under way now. */
    public int concurrentRequests() {
        return concurrent.get();
    }

    /** The heads of the last 10,000 requests of any kind, oldest first. */
    public List<RequestHead> heads() {
        synchronized (heads) {
            return List.copyOf(heads);
        }
    }

    void arrived(RequestHead head) {
        synchronized (heads) {
            if (heads.size() == HEADS_KEPT) {
                heads.removeFirst();
            }
            heads.addLast(head);
        }
        if (head.isBulk()) {
            requests.incrementAndGet();
            maxConcurrent.accumulateAndGet(concurrent.incrementAndGet(), Math::max);
        }
    }

    void left(RequestHead head) {
        if (head.isBulk()) {
            concurrent.decrementAndGet();
        }
    }

    void uploaded(BulkRequestView request) {
        if (!request.head().isBulk()) {
            return;
        }
        items.addAndGet(request.actions().size());
        bodyBytes.addAndGet(request.wireBody().length);
        for (BulkAction action : request.actions()) {
            action.id().ifPresent(id -> attempted.merge(new ItemKey(action.op(), id), 1, Integer::sum));
        }
    }

    /**
     * Counts a reply against the actions that were really forwarded; an item without an id has that of the action in
     * its place.
     */
    void answered(List<BulkAction> forwarded, ServerReply reply) {
        if (!reply.isSuccess()) {
            return;
        }
        AtomicInteger position = new AtomicInteger();
        try {
            BulkReplyItems.visit(reply.plainBody(), (op, id, status) -> {
                int index = position.getAndIncrement();
                Optional<String> sent =
                        index < forwarded.size() ? forwarded.get(index).id() : Optional.empty();
                answered(op, id.or(() -> sent), status);
            });
        } catch (IOException cutOrNotJson) {
            position.set(-1);
        }
        if (position.get() != forwarded.size()) {
            unreadableReplies.incrementAndGet();
        }
    }

    private void answered(String op, Optional<String> id, int status) {
        itemStatuses.merge(status, 1L, Long::sum);
        if (status / 100 == 2) {
            id.ifPresent(known -> acknowledged.merge(new ItemKey(op, known), 1, Integer::sum));
        }
    }

    private static Set<String> ids(Map<ItemKey, Integer> counts) {
        return counts.keySet().stream().map(ItemKey::id).collect(Collectors.toUnmodifiableSet());
    }
}
