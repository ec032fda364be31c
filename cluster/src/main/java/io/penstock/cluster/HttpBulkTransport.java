package io.penstock.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.core.batch.Batch;
import io.penstock.core.delivery.BulkReply;
import io.penstock.core.delivery.BulkTransport;
import io.penstock.core.delivery.ConfirmReply;
import io.penstock.core.document.Document;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.io.entity.AbstractHttpEntity;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.jspecify.annotations.Nullable;

/**
 * Step 4a of the load path: sends slices of a batch's bytes as a bulk request to the node that is likely done soonest,
 * and reads the answer to its end. Thread-safe.
 */
final class HttpBulkTransport implements BulkTransport {
    private static final ContentType NDJSON = ContentType.create("application/x-ndjson");
    private static final int CONFIRM_ITEMS_MAX = 500;
    /** Each batch may try once more; that all of them do could lock the account. */
    private static final int ACCESS_REFUSALS_MAX = 2;

    private static final int ERROR_BYTES_MAX = 256 * 1024;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpExchange http;
    private final NodeRing nodes;
    private final Duration deadline;
    private final String bulkPath;
    private final String getPath;
    private final BulkReplyParser parser;
    private final AtomicInteger accessRefusals = new AtomicInteger();
    private volatile BulkReply.@Nullable Refused lastAccessRefusal;

    /**
     * @param writePath path of the index or alias to write to
     * @param parameters query parameters of a bulk request
     * @param expectedIndex see {@link BulkReplyParser}
     */
    HttpBulkTransport(
            HttpExchange http,
            NodeRing nodes,
            Duration deadline,
            String writePath,
            String parameters,
            String expectedIndex) {
        this.http = http;
        this.nodes = nodes;
        this.deadline = deadline;
        this.bulkPath = writePath + "/_bulk?" + parameters;
        this.getPath = writePath + "/_mget?filter_path=docs.found,docs._version,docs._source,docs.error";
        this.parser = new BulkReplyParser(expectedIndex);
    }

    @Override
    public BulkReply send(Batch batch, int[] items) {
        BulkReply.Refused refusal = lastAccessRefusal;
        if (refusal != null && accessRefusals.get() >= ACCESS_REFUSALS_MAX) {
            return refusal;
        }
        BulkReply reply = exchange(batch, items);
        boolean refused =
                reply instanceof BulkReply.Refused answer && (answer.status() == 401 || answer.status() == 403);
        if (refused) {
            lastAccessRefusal = (BulkReply.Refused) reply;
            accessRefusals.incrementAndGet();
        } else if (!(reply instanceof BulkReply.NoAnswer)) {
            accessRefusals.set(0);
        }
        return reply;
    }

    private BulkReply exchange(Batch batch, int[] items) {
        NodeRing.Node node = nodes.take(System.nanoTime());
        long began = System.nanoTime();
        try {
            BulkReply reply = http.call(
                    "POST",
                    Paths.at(node.uri(), bulkPath),
                    new BatchEntity(batch, items),
                    deadline,
                    (answer, body) -> read(answer, body, items.length));
            nodes.answered(node, System.nanoTime() - began);
            return reply;
        } catch (HttpExchange.NoAnswerException e) {
            nodes.failed(node, System.nanoTime());
            return new BulkReply.NoAnswer(e.reason(), String.valueOf(e.getMessage()));
        }
    }

    private BulkReply read(ClassicHttpResponse answer, InputStream body, int itemsSent) throws IOException {
        if (answer.getCode() / 100 == 2) {
            return readItems(answer, body, itemsSent);
        }
        String text = new String(body.readNBytes(ERROR_BYTES_MAX), StandardCharsets.UTF_8);
        JsonNode error = Replies.error(text);
        String reason = answer.getCode() / 100 == 3 ? "to " + header(answer, "Location") : Replies.reason(error, text);
        return new BulkReply.Refused(
                answer.getCode(), error.path("type").asText(""), reason, retryAfter(header(answer, "Retry-After")));
    }

    private BulkReply readItems(ClassicHttpResponse answer, InputStream body, int itemsSent) throws IOException {
        String type = header(answer, "Content-Type");
        if (!type.isEmpty() && !type.contains("json")) {
            throw new HttpExchange.GarbledException(
                    BulkReply.Cause.FOREIGN,
                    "something between us and the cluster answers with %s: check the address and any proxy"
                            .formatted(type),
                    null);
        }
        try {
            return new BulkReply.Items(parser.parse(body, itemsSent));
        } catch (HttpExchange.GarbledException e) {
            throw e;
        } catch (com.fasterxml.jackson.core.JacksonException e) {
            throw new HttpExchange.GarbledException(
                    BulkReply.Cause.GARBLED, "the answer cannot be read: " + e.getOriginalMessage(), e);
        } catch (java.net.SocketException | java.net.SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            throw new HttpExchange.GarbledException(BulkReply.Cause.GARBLED, String.valueOf(e.getMessage()), e);
        }
    }

    private static String header(ClassicHttpResponse answer, String name) {
        Header header = answer.getFirstHeader(name);
        return header == null ? "" : header.getValue();
    }

    /** Seconds only; a date would need clocks that agree. At most five minutes. */
    private static Duration retryAfter(String value) {
        try {
            return value.isEmpty()
                    ? Duration.ZERO
                    : Duration.ofSeconds(Math.clamp(Long.parseLong(value.strip()), 0, 300));
        } catch (NumberFormatException e) {
            return Duration.ZERO;
        }
    }

    // ---- confirm ------------------------------------------------------------------------------------------------

    @Override
    public ConfirmReply confirm(Batch batch, int[] items) {
        var copies = new ArrayList<ConfirmReply.Copy>(items.length);
        for (int from = 0; from < items.length; from += CONFIRM_ITEMS_MAX) {
            int[] part = Arrays.copyOfRange(items, from, Math.min(items.length, from + CONFIRM_ITEMS_MAX));
            ConfirmReply reply = confirmPart(batch, part);
            if (!(reply instanceof ConfirmReply.Held held)) {
                return reply;
            }
            copies.addAll(held.copies());
        }
        return new ConfirmReply.Held(copies);
    }

    private ConfirmReply confirmPart(Batch batch, int[] items) {
        NodeRing.Node node = nodes.take(System.nanoTime());
        long began = System.nanoTime();
        try {
            String request = JSON.writeValueAsString(documentsToGet(batch, items));
            ConfirmReply reply = http.call(
                    "POST",
                    Paths.at(node.uri(), getPath),
                    new StringEntity(request, ContentType.APPLICATION_JSON),
                    deadline,
                    (answer, body) -> {
                        if (answer.getCode() != 200) {
                            return new ConfirmReply.Unknown("conflicts cannot be looked up: HTTP " + answer.getCode());
                        }
                        return copies(batch, items, JSON.readTree(body).path("docs"));
                    });
            nodes.answered(node, System.nanoTime() - began);
            return reply;
        } catch (HttpExchange.NoAnswerException e) {
            nodes.failed(node, System.nanoTime());
            return new ConfirmReply.Unknown(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("an action line of ours cannot be read", e);
        }
    }

    private static ObjectNode documentsToGet(Batch batch, int[] items) throws IOException {
        ObjectNode request = JSON.createObjectNode();
        ArrayNode documents = request.putArray("docs");
        for (int item : items) {
            JsonNode metadata = JSON.readTree(batch.actionLine(item)).elements().next();
            ObjectNode document = documents.addObject();
            document.put("_id", batch.id(item));
            for (String name : List.of("routing", "_index")) {
                if (metadata.has(name)) {
                    document.set(name, metadata.get(name));
                }
            }
            if (batch.version(item) != Document.NO_VERSION) {
                document.put("_source", false);
            }
        }
        return request;
    }

    private static ConfirmReply copies(Batch batch, int[] items, JsonNode documents) throws IOException {
        if (documents.size() != items.length) {
            return new ConfirmReply.Unknown("conflicts cannot be looked up: the answer is incomplete");
        }
        var copies = new ArrayList<ConfirmReply.Copy>(items.length);
        for (int i = 0; i < items.length; i++) {
            JsonNode document = documents.get(i);
            if (document.has("error")) {
                return new ConfirmReply.Unknown("conflicts cannot be looked up: "
                        + document.path("error").path("reason").asText("no reason given"));
            }
            boolean versioned = batch.version(items[i]) != Document.NO_VERSION;
            copies.add(new ConfirmReply.Copy(
                    document.path("found").asBoolean(false),
                    document.path("_version").asLong(0),
                    !versioned && document.path("_source").equals(sent(batch, items[i]))));
        }
        return new ConfirmReply.Held(copies);
    }

    private static JsonNode sent(Batch batch, int item) throws IOException {
        var bytes = new ByteArrayOutputStream();
        batch.writeDocument(item, bytes);
        return JSON.readTree(bytes.toByteArray());
    }

    /** The bytes of some items of a batch, written from where they are. */
    private static final class BatchEntity extends AbstractHttpEntity {
        private final Batch batch;
        private final int[] items;

        BatchEntity(Batch batch, int[] items) {
            super(NDJSON, null, false);
            this.batch = batch;
            this.items = items;
        }

        @Override
        public long getContentLength() {
            return batch.bytes(items);
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            batch.write(items, out);
        }

        @Override
        public InputStream getContent() {
            throw new UnsupportedOperationException("a batch is written, not read");
        }

        @Override
        public boolean isStreaming() {
            return false;
        }

        @Override
        public boolean isRepeatable() {
            return true;
        }

        @Override
        public void close() {}
    }
}
