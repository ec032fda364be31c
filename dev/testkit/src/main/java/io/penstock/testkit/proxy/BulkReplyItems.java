package io.penstock.testkit.proxy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Optional;

/** Reads the items of a bulk reply one after the other, so that a long reply is never a tree as a whole. */
final class BulkReplyItems {

    private static final ObjectMapper JSON = new ObjectMapper();

    private BulkReplyItems() {}

    /** Takes the items in their order. */
    interface Visitor {
        void item(String op, Optional<String> id, int status);
    }

    /** Visits the items; {@link IOException} if the reply ends early or is no bulk reply. */
    static void visit(byte[] reply, Visitor visitor) throws IOException {
        try (JsonParser parser = JSON.createParser(reply)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("the reply is no JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean items = parser.currentName().equals("items");
                if (parser.nextToken() == JsonToken.START_ARRAY && items) {
                    visitItems(parser, visitor);
                } else {
                    parser.skipChildren();
                }
            }
        }
    }

    private static void visitItems(JsonParser parser, Visitor visitor) throws IOException {
        while (parser.nextToken() == JsonToken.START_OBJECT) {
            JsonNode item = JSON.readTree(parser);
            item.properties().forEach(field -> {
                Optional<String> id =
                        Optional.ofNullable(field.getValue().get("_id")).map(JsonNode::asText);
                visitor.item(field.getKey(), id, field.getValue().path("status").asInt());
            });
        }
    }
}
