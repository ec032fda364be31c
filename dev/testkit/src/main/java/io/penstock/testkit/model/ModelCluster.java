package io.penstock.testkit.model;

import io.penstock.core.batch.Batch;
import io.penstock.core.delivery.BulkReply;
import io.penstock.core.delivery.ConfirmReply;
import io.penstock.core.delivery.ItemReply;
import io.penstock.core.document.Document;
import io.penstock.core.document.Operation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One index. Documents are judged by words in them: a body with {@code "unfit"} does not fit the mapping,
 * {@code "drop"} is dropped by a pipeline, {@code "poison"} spoils its whole request.
 *
 * <p>With an asynchronous translog a {@link #crash} forgets what was written since the last {@link #flush}. Not
 * thread-safe.
 */
public final class ModelCluster {
    /** What the index holds under an id. A deleted document leaves its version behind. */
    private record Held(@Nullable String source, long version) {}

    private final boolean asyncTranslog;
    private final long contentBytesMax;
    private Map<String, Held> index = new TreeMap<>();
    private Map<String, Held> safe = new TreeMap<>();
    private long itemsApplied;
    private long primaryTerm = 1;

    /**
     * @param asyncTranslog whether acknowledged writes are lost in a crash before a flush
     * @param contentBytesMax larger requests are refused with 413
     */
    public ModelCluster(boolean asyncTranslog, long contentBytesMax) {
        this.asyncTranslog = asyncTranslog;
        this.contentBytesMax = contentBytesMax;
    }

    /** A bulk request as it is on the wire: a copy, which the server can apply long after the client has given up. */
    public record Request(List<Item> items, long bytes) {
        /** The request for some items of a batch. */
        public static Request of(Batch batch, int[] sent) {
            var items = new ArrayList<Item>(sent.length);
            for (int item : sent) {
                var body = new ByteArrayOutputStream();
                try {
                    batch.writeDocument(item, body);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                items.add(new Item(
                        batch.operation(item),
                        batch.id(item),
                        batch.version(item),
                        body.toString(StandardCharsets.UTF_8)));
            }
            return new Request(List.copyOf(items), batch.bytes(sent));
        }
    }

    /** One item of a request. */
    public record Item(Operation operation, String id, long version, String source) {}

    /** Carries a request out and answers it. */
    public BulkReply apply(Request request) {
        if (request.bytes() > contentBytesMax) {
            return new BulkReply.Refused(413, "", "", Duration.ZERO);
        }
        if (request.items().stream().anyMatch(item -> item.source().contains("\"poison\""))) {
            return new BulkReply.Refused(
                    400, "illegal_argument_exception", "Malformed action/metadata line", Duration.ZERO);
        }
        var replies = new ArrayList<ItemReply>(request.items().size());
        for (Item item : request.items()) {
            replies.add(apply(item));
        }
        return new BulkReply.Items(replies);
    }

    /** Carries one item out. */
    public ItemReply apply(Item item) {
        String operation = item.operation().actionName();
        if (item.source().contains("\"unfit\"")) {
            return failed(item, 400, "mapper_parsing_exception", "failed to parse field [n]");
        }
        if (item.source().contains("\"drop\"")) {
            return new ItemReply(operation, item.id(), 200, true, null);
        }
        Held held = index.get(item.id());
        boolean exists = held != null && held.source() != null;
        if (item.operation() == Operation.CREATE && exists) {
            return failed(item, 409, "version_conflict_engine_exception", "document already exists");
        }
        if (item.version() != Document.NO_VERSION && held != null && held.version() >= item.version()) {
            return failed(item, 409, "version_conflict_engine_exception", "current version is higher or equal");
        }
        long version = item.version() != Document.NO_VERSION ? item.version() : held == null ? 1 : held.version() + 1;
        itemsApplied++;
        boolean delete = item.operation() == Operation.DELETE;
        index.put(item.id(), new Held(delete ? null : item.source(), version));
        if (!asyncTranslog) {
            safe.put(item.id(), new Held(delete ? null : item.source(), version));
        }
        int status = delete ? (exists ? 200 : 404) : exists ? 200 : 201;
        return ItemReply.done(operation, item.id(), status);
    }

    /** An answer that refuses every item for one reason. */
    public static BulkReply refuseItems(Request request, int status, String type) {
        return new BulkReply.Items(request.items().stream()
                .map(item -> failed(item, status, type, "because of the model"))
                .toList());
    }

    /** An item's answer with an error. */
    public static ItemReply failed(Item item, int status, String type, String reason) {
        return new ItemReply(
                item.operation().actionName(), item.id(), status, false, new ItemReply.Failure(type, reason));
    }

    /** What the index holds under the ids of these items. */
    public ConfirmReply get(Request request) {
        var copies = new ArrayList<ConfirmReply.Copy>();
        for (Item item : request.items()) {
            Held held = index.get(item.id());
            copies.add(
                    held == null || held.source() == null
                            ? new ConfirmReply.Copy(false, 0, false)
                            : new ConfirmReply.Copy(
                                    true, held.version(), item.source().equals(held.source())));
        }
        return new ConfirmReply.Held(copies);
    }

    /** Makes everything written so far safe. */
    public void flush() {
        safe = new TreeMap<>(index);
    }

    /** Dies and comes back with what was safe. */
    public void crash() {
        index = new TreeMap<>(safe);
        primaryTerm++;
    }

    /** Grows with each crash. */
    public long primaryTerm() {
        return primaryTerm;
    }

    /** The documents a search would find, by id. */
    public Map<String, String> documents() {
        var documents = new HashMap<String, String>();
        index.forEach((id, held) -> {
            if (held.source() != null) {
                documents.put(id, held.source());
            }
        });
        return documents;
    }

    /** Items carried out, repeats included. */
    public long itemsApplied() {
        return itemsApplied;
    }
}
