package io.penstock.testkit.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The lies a bulk reply can tell. Each edit returns the reply itself if it is no bulk reply. */
final class ReplyEdits {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int NESTED_ARRAYS = 10_000;

    private ReplyEdits() {}

    static ServerReply fewerItems(ServerReply reply) {
        return editItems(reply, items -> {
            if (!items.isEmpty()) {
                items.remove(items.size() - 1);
            }
        });
    }

    static ServerReply moreItems(ServerReply reply) {
        return editItems(reply, items -> {
            if (!items.isEmpty()) {
                items.add(items.get(items.size() - 1).deepCopy());
            }
        });
    }

    static ServerReply swapItems(ServerReply reply) {
        return editItems(reply, items -> {
            int last = items.size() - 1;
            if (last > 0) {
                JsonNode first = items.get(0);
                items.set(0, items.get(last));
                items.set(last, first);
            }
        });
    }

    static ServerReply duplicateItem(ServerReply reply) {
        return editItems(reply, items -> {
            if (items.size() > 1) {
                items.set(1, items.get(0).deepCopy());
            }
        });
    }

    static ServerReply flipErrorsFlag(ServerReply reply) {
        return edit(reply, root -> root.put("errors", !root.path("errors").asBoolean()));
    }

    static ServerReply itemError(ServerReply reply, Fault.ItemError wanted) {
        return edit(reply, root -> {
            JsonNode item = root.path("items").path(wanted.index());
            for (JsonNode field : item) {
                if (field instanceof ObjectNode body) {
                    body.put("status", wanted.status());
                    body.putObject("error").put("type", wanted.type()).put("reason", wanted.reason());
                    body.remove("result");
                    root.put("errors", true);
                }
            }
        });
    }

    static ServerReply nanStatus(ServerReply reply) {
        return editBodies(reply, (item, op) -> body(item, op).putRawValue("status", new RawValue("NaN")));
    }

    static ServerReply textStatus(ServerReply reply) {
        return editBodies(reply, (item, op) -> {
            ObjectNode body = body(item, op);
            body.set("status", TextNode.valueOf(body.path("status").asText()));
        });
    }

    static ServerReply duplicateStatus(ServerReply reply) {
        return editBodies(reply, (item, op) -> {
            ObjectNode body = body(item, op);
            int wrong = body.path("status").asInt() / 100 == 2 ? 400 : 201;
            item.putRawValue(
                    op,
                    new RawValue("{\"status\":" + wrong + "," + body.toString().substring(1)));
        });
    }

    static ServerReply deepNesting(ServerReply reply) {
        String nested = "\"deep\":" + "[".repeat(NESTED_ARRAYS) + "]".repeat(NESTED_ARRAYS) + ",";
        return replaceBody(reply, body -> {
            byte[] field = nested.getBytes(StandardCharsets.US_ASCII);
            byte[] spliced = new byte[body.length + field.length];
            spliced[0] = '{';
            System.arraycopy(field, 0, spliced, 1, field.length);
            System.arraycopy(body, 1, spliced, 1 + field.length, body.length - 1);
            return spliced;
        });
    }

    /** The reply with its body unpacked; unchanged if it is no bulk reply. */
    static ServerReply plain(ServerReply reply) {
        return replaceBody(reply, body -> body);
    }

    static boolean isBulkReply(ServerReply reply) {
        try {
            return reply.isSuccess()
                    && JSON.readTree(reply.plainBody()).path("items").isArray();
        } catch (IOException notJson) {
            return false;
        }
    }

    private static ServerReply replaceBody(ServerReply reply, UnaryOperator<byte[]> change) {
        return edit(reply, root -> {}, change);
    }

    private static ServerReply editItems(ServerReply reply, Consumer<ArrayNode> change) {
        return edit(reply, root -> change.accept((ArrayNode) root.path("items")));
    }

    /** Gives each item and the name of its only field, in the order of the reply. */
    private static ServerReply editBodies(ServerReply reply, BiConsumer<ObjectNode, String> change) {
        return editItems(reply, items -> {
            for (JsonNode item : items) {
                if (item instanceof ObjectNode object && !object.isEmpty()) {
                    change.accept(object, object.fieldNames().next());
                }
            }
        });
    }

    private static ObjectNode body(ObjectNode item, String op) {
        return (ObjectNode) item.path(op);
    }

    private static ServerReply edit(ServerReply reply, Consumer<ObjectNode> change) {
        return edit(reply, change, body -> body);
    }

    private static ServerReply edit(ServerReply reply, Consumer<ObjectNode> change, UnaryOperator<byte[]> changeBytes) {
        if (!isBulkReply(reply)) {
            return reply;
        }
        try {
            ObjectNode root = (ObjectNode) JSON.readTree(reply.plainBody());
            change.accept(root);
            return reply.withBody(changeBytes.apply(JSON.writeValueAsBytes(root)));
        } catch (IOException readBefore) {
            throw new IllegalStateException("a bulk reply was read once and not again", readBefore);
        }
    }
}
