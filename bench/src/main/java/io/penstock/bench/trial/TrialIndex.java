package io.penstock.bench.trial;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.bench.BenchException;
import io.penstock.bench.experiment.Setup;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** An index that experiments make and remove, with a mark by which they know it as theirs. */
final class TrialIndex {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String MADE_BY = "penstock bench";
    private static final int IGNORE_ABOVE = 8191;

    private final Rest servers;
    private final String name;

    TrialIndex(Rest servers, String name) {
        this.servers = servers;
        this.name = name;
    }

    /** Removes it if it is there. */
    void drop() {
        Optional<JsonNode> mapping = servers.find("/" + name + "/_mapping");
        if (mapping.isEmpty()) {
            return;
        }
        if (!mapping.get().at("/" + name + "/mappings/_meta/made_by").asText("").equals(MADE_BY)) {
            throw BenchException.usage(
                    "there is an index %s that no experiment has made: remove it, or give it another name"
                            .formatted(name));
        }
        servers.call("DELETE", "/" + name, "");
    }

    /** @param explicit the mapping made for the workload */
    void create(Setup setup, String explicit) {
        ObjectNode body = JSON.createObjectNode();
        body.set("settings", JSON.valueToTree(setup.indexSettings()));
        ObjectNode mappings = body.putObject("mappings");
        switch (setup.mapping()) {
            case "explicit" -> mappings.setAll((ObjectNode) Rest.json(explicit.getBytes(StandardCharsets.UTF_8)));
            case "keyword" ->
                mappings.putArray("dynamic_templates")
                        .addObject()
                        .putObject("texts")
                        .put("match_mapping_type", "string")
                        .putObject("mapping")
                        .put("type", "keyword")
                        .put("ignore_above", IGNORE_ABOVE);
            default -> {
                // as the server finds it
            }
        }
        mappings.putObject("_meta").put("made_by", MADE_BY);
        JsonNode made = servers.call("PUT", "/" + name + "?wait_for_active_shards=all&timeout=1m", body.toString());
        if (!made.path("shards_acknowledged").asBoolean()) {
            throw new BenchException(
                    BenchException.Reason.FAILED, "not all shards could be started: more copies than nodes?");
        }
    }

    /** Makes one that a load has made one of ours. */
    void mark() {
        servers.call("PUT", "/" + name + "/_mapping", "{\"_meta\":{\"made_by\":\"" + MADE_BY + "\"}}");
    }

    /** Of all documents, after a refresh. */
    long count() {
        servers.call("POST", "/" + name + "/_refresh", "");
        return servers.get("/" + name + "/_count").path("count").asLong();
    }

    /** What is on the disks, primaries only. */
    record Stored(double megabytes, double segments) {}

    /** From the list of segments: the sizes in the statistics of an index are up to ten seconds old. */
    Stored stored() {
        double bytes = 0;
        double segments = 0;
        JsonNode shards = servers.get("/" + name + "/_segments").at("/indices/" + name + "/shards");
        for (JsonNode copies : shards) {
            for (JsonNode copy : copies) {
                if (copy.at("/routing/primary").asBoolean()) {
                    for (JsonNode segment : copy.path("segments")) {
                        bytes += segment.path("size_in_bytes").asDouble();
                        segments++;
                    }
                }
            }
        }
        return new Stored(bytes / 1e6, segments);
    }
}
