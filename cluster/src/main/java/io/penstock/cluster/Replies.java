package io.penstock.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;

/** Finds the error in an answer that refuses a request, whatever form it has. Stateless. */
final class Replies {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int TEXT_CHARACTERS_MAX = 300;

    private Replies() {}

    /** The error object; a missing node when there is none. */
    static JsonNode error(String text) {
        try {
            JsonNode error = JSON.readTree(text).path("error");
            JsonNode root = error.path("root_cause").path(0);
            return error.path("type").asText("").isEmpty() && !root.isMissingNode() ? root : error;
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    /** The reason in words: the server's, with its cause, or the beginning of whatever the answer says. */
    static String reason(JsonNode error, String text) {
        String reason =
                error.isTextual() ? error.asText() : error.path("reason").asText("");
        String cause = error.path("caused_by").path("reason").asText("");
        String both = cause.isEmpty() || reason.contains(cause) ? reason : reason + ": " + cause;
        String found = both.isEmpty() ? text.strip().replaceAll("\\s+", " ") : both;
        return found.length() <= TEXT_CHARACTERS_MAX ? found : found.substring(0, TEXT_CHARACTERS_MAX) + "…";
    }
}
