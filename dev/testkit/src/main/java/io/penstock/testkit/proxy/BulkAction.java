package io.penstock.testkit.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One action of a bulk body and where its bytes are: {@code from} to {@code until} is the pair, {@code sourceFrom} to
 * {@code until} the document with its line end (empty for a delete). Offsets count in the unpacked body, ranges are
 * half-open.
 *
 * @param op {@code index}, {@code create}, {@code update} or {@code delete}
 * @param id absent if the server is to choose one
 */
public record BulkAction(String op, Optional<String> id, int from, int sourceFrom, int until) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** The actions up to the first line that is none; only action lines are parsed. */
    static List<BulkAction> parse(byte[] body) {
        List<BulkAction> actions = new ArrayList<>();
        int from = 0;
        while (from < body.length) {
            int sourceFrom = afterLine(body, from);
            if (sourceFrom - from > 1) {
                Optional<BulkAction> action = parse(body, from, sourceFrom);
                if (action.isEmpty()) {
                    break;
                }
                actions.add(action.get());
                from = action.get().until();
            } else {
                from = sourceFrom;
            }
        }
        return List.copyOf(actions);
    }

    private static Optional<BulkAction> parse(byte[] body, int from, int sourceFrom) {
        try {
            JsonNode line = JSON.readTree(body, from, sourceFrom - from);
            if (!line.isObject() || line.isEmpty()) {
                return Optional.empty();
            }
            Map.Entry<String, JsonNode> first = line.properties().iterator().next();
            boolean delete = first.getKey().equals("delete");
            Optional<String> id =
                    Optional.ofNullable(first.getValue().get("_id")).map(JsonNode::asText);
            int until = delete ? sourceFrom : afterLine(body, sourceFrom);
            return Optional.of(new BulkAction(first.getKey(), id, from, sourceFrom, until));
        } catch (IOException notJson) {
            return Optional.empty();
        }
    }

    private static int afterLine(byte[] body, int from) {
        int at = from;
        while (at < body.length && body[at] != '\n') {
            at++;
        }
        return Math.min(at + 1, body.length);
    }
}
