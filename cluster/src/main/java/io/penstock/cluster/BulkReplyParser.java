package io.penstock.cluster;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.penstock.core.delivery.ItemReply;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the answer to a bulk request as a stream, to its last byte: an answer that ends early, or that is not what the
 * bulk API promises, is an {@link IOException} and never a partial success. The {@code errors} flag is not looked at;
 * the items are. Thread-safe.
 */
final class BulkReplyParser {
    private static final int REASON_CHARACTERS_MAX = 1024;
    private static final int DEPTH_MAX = 64;
    /** An answer larger than this for each item is no answer to us. */
    private static final long BYTES_PER_ITEM_MAX = 64 * 1024;

    private final String expectedIndex;

    /**
     * @param expectedIndex the index that every item must have been written to, or the empty text when answers do not
     *     say
     */
    BulkReplyParser(String expectedIndex) {
        this.expectedIndex = expectedIndex;
    }

    List<ItemReply> parse(InputStream body, int itemsSent) throws IOException {
        JsonFactory factory = JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(DEPTH_MAX)
                        .maxDocumentLength(1_000_000 + itemsSent * BYTES_PER_ITEM_MAX)
                        .build())
                .build();
        List<ItemReply> items = null;
        try (JsonParser parser = factory.createParser(body)) {
            expect(parser, parser.nextToken(), JsonToken.START_OBJECT);
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                if (name.equals("items")) {
                    if (items != null) {
                        throw new IOException("the answer has two lists of items");
                    }
                    items = items(parser, itemsSent);
                } else {
                    parser.skipChildren();
                }
            }
            expect(parser, parser.currentToken(), JsonToken.END_OBJECT);
            if (parser.nextToken() != null) {
                throw new IOException("something follows the answer");
            }
        }
        if (items == null) {
            throw new IOException("the answer has no items");
        }
        return items;
    }

    private List<ItemReply> items(JsonParser parser, int itemsSent) throws IOException {
        expect(parser, parser.currentToken(), JsonToken.START_ARRAY);
        var items = new ArrayList<ItemReply>(itemsSent);
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            expect(parser, parser.currentToken(), JsonToken.START_OBJECT);
            expect(parser, parser.nextToken(), JsonToken.FIELD_NAME);
            String operation = parser.currentName();
            expect(parser, parser.nextToken(), JsonToken.START_OBJECT);
            items.add(item(parser, operation));
            expect(parser, parser.nextToken(), JsonToken.END_OBJECT);
            if (items.size() > itemsSent) {
                throw new IOException("the answer has more than the %,d items sent".formatted(itemsSent));
            }
        }
        return items;
    }

    private ItemReply item(JsonParser parser, String operation) throws IOException {
        String id = "";
        int status = 0;
        boolean noop = false;
        String index = expectedIndex;
        ItemReply.Failure failure = null;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            switch (name) {
                case "_id" -> id = parser.getValueAsString("");
                case "status" -> {
                    expect(parser, parser.currentToken(), JsonToken.VALUE_NUMBER_INT);
                    if (status != 0) {
                        throw new IOException("an item of the answer has two statuses");
                    }
                    status = parser.getIntValue();
                }
                case "result" -> noop = "noop".equals(parser.getText());
                case "_index" -> index = parser.getText();
                case "error" -> failure = failure(parser);
                default -> parser.skipChildren();
            }
        }
        expect(parser, parser.currentToken(), JsonToken.END_OBJECT);
        if (status == 0) {
            throw new IOException("an item of the answer has no status");
        }
        if (failure == null && !noop) {
            checkIndex(index); // of what was not written, servers repeat the name in the request
        }
        return new ItemReply(operation, id, status, noop, failure);
    }

    private void checkIndex(String index) throws IOException {
        if (!expectedIndex.isEmpty() && !index.equals(expectedIndex)) {
            throw new HttpExchange.GarbledException(
                    io.penstock.core.delivery.BulkReply.Cause.FOREIGN,
                    "a document was written to the index %s, not to %s: an ingest pipeline sends documents elsewhere, which a load does not follow"
                            .formatted(index, expectedIndex),
                    null);
        }
    }

    /** Type and reason, with those of the cause, which is where Elasticsearch hides what is wrong. */
    private static ItemReply.Failure failure(JsonParser parser) throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_STRING) {
            return new ItemReply.Failure("", brief(parser.getText()));
        }
        expect(parser, parser.currentToken(), JsonToken.START_OBJECT);
        String type = "";
        String reason = "";
        ItemReply.Failure cause = null;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            switch (name) {
                case "type" -> type = parser.getValueAsString("");
                case "reason" -> reason = brief(parser.getValueAsString(""));
                case "caused_by" -> cause = failure(parser);
                default -> parser.skipChildren();
            }
        }
        return new ItemReply.Failure(type, withCause(reason, cause));
    }

    private static String withCause(String reason, ItemReply.@Nullable Failure cause) {
        if (cause == null || cause.reason().isEmpty() || reason.contains(cause.reason())) {
            return reason;
        }
        return brief(reason + ": " + cause.reason());
    }

    private static String brief(String reason) {
        return reason.length() <= REASON_CHARACTERS_MAX ? reason : reason.substring(0, REASON_CHARACTERS_MAX) + "…";
    }

    private static void expect(JsonParser parser, @Nullable JsonToken found, JsonToken wanted) throws IOException {
        if (found != wanted) {
            throw new IOException("the answer has %s at byte %d where %s belongs"
                    .formatted(found, parser.currentLocation().getByteOffset(), wanted));
        }
    }
}
