package io.penstock.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.job.Target;
import io.penstock.job.TargetException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * An index, an alias or a data stream that is to be copied: what it is made of, and what a new index takes over from
 * it. A value, as it was when it was looked up.
 */
public final class CopiedIndex {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration QUICK = Duration.ofSeconds(30);

    /** Settings that belong to one index, or would make the copy do what its original is still there for. */
    private static final List<String> NOT_COPIED = List.of(
            "index.uuid",
            "index.creation_date",
            "index.provided_name",
            "index.history.",
            "index.version.",
            "index.resize.",
            "index.shrink.",
            "index.routing.allocation.initial_recovery.",
            "index.blocks.",
            "index.store.snapshot.",
            "index.remote_store.",
            "archived.",
            "index.verified_before_close",
            "index.lifecycle.",
            "index.plugins.index_state_management.",
            "index.opendistro.index_state_management.");

    /** What another cluster, of whatever kind and version, understands as well. */
    private static final List<String> PORTABLE = List.of(
            "index.number_of_shards",
            "index.number_of_replicas",
            "index.refresh_interval",
            "index.analysis.",
            "index.similarity.",
            "index.mapping.",
            "index.sort.",
            "index.max_");

    private final String name;
    private final boolean alias;
    private final boolean stream;
    private final Map<String, JsonNode> indices;
    private final String model;

    private CopiedIndex(String name, boolean alias, boolean stream, Map<String, JsonNode> indices, String model) {
        this.name = name;
        this.alias = alias;
        this.stream = stream;
        this.indices = indices;
        this.model = model;
    }

    /**
     * Looks it up.
     *
     * @param into the index it is copied into; an alias that an earlier run moved onto that one already means what it
     *     stood for before
     * @throws TargetException if there is none, or if it cannot be copied
     */
    public static CopiedIndex of(Cluster cluster, String name, String into) {
        Map<String, JsonNode> indices = look(cluster, name, name);
        boolean stream = indices.values().stream()
                .anyMatch(index -> index.path("data_stream").asText("").equals(name));
        boolean alias = !stream && !indices.containsKey(name);
        if (alias && indices.keySet().equals(Set.of(into))) {
            SortedSet<String> before = cluster.aliases().replacedBy(into);
            if (before.isEmpty()) {
                throw refused("%s stands for %s, which cannot be copied into itself".formatted(name, into));
            }
            indices = look(cluster, name, String.join(",", before));
        }
        var copied = new CopiedIndex(name, alias, stream, indices, model(name, indices));
        copied.refuseWhatCannotBeCopied();
        return copied;
    }

    private static Map<String, JsonNode> look(Cluster cluster, String name, String indices) {
        Cluster.Answer answer = cluster.call(
                "GET", "/" + Paths.encode(indices).replace("%2C", ",") + "?flat_settings=true", null, QUICK);
        if (answer.status() == 404) {
            throw refused("there is no index, alias or data stream %s to copy".formatted(indices));
        }
        cluster.requireOk(answer, name + " cannot be looked up");
        Map<String, JsonNode> found = new TreeMap<>();
        answer.json().properties().forEach(entry -> found.put(entry.getKey(), entry.getValue()));
        if (found.isEmpty()) {
            throw refused("%s stands for no index".formatted(name));
        }
        return found;
    }

    /** Of several indices, the one that is written to now says how the new one is made. */
    private static String model(String name, Map<String, JsonNode> indices) {
        String last = "";
        for (Map.Entry<String, JsonNode> index : indices.entrySet()) {
            last = index.getKey();
            if (index.getValue()
                    .path("aliases")
                    .path(name)
                    .path("is_write_index")
                    .asBoolean(false)) {
                return last;
            }
        }
        return last;
    }

    private void refuseWhatCannotBeCopied() {
        indices.forEach((index, found) -> {
            JsonNode mapping = found.path("mappings");
            if (mapping.isEmpty()) {
                // OpenSearch 3.6.0 then knows no field _id to cut slices by, and would be asked until --max-outage.
                throw refused(
                        "%s has no mapping, and so no documents to copy: leave it out, or PUT /%s/_mapping {\"dynamic\":true} first"
                                .formatted(index, index));
            }
            if (!mapping.path("_source").path("enabled").asBoolean(true)) {
                throw refused(
                        "%s does not keep its documents (_source is off), so that nothing can be copied from it: load it anew from where they came from"
                                .formatted(index));
            }
            ClusterEnvelope.journal(mapping.path("_meta")).ifPresent(journal -> {
                throw refused("%s has the settings of a %s, which a copy would take over: 'penstock restore %s' first"
                        .formatted(index, journal.owner(), index));
            });
        });
    }

    private static TargetException refused(String message) {
        return new TargetException(TargetException.Reason.REFUSES, message, null);
    }

    /** The name it was asked for by. */
    public String name() {
        return name;
    }

    /** Whether that name is an alias. */
    public boolean isAlias() {
        return alias;
    }

    /**
     * What is read: the indices themselves, as an alias may stand for others before all is read; a data stream under
     * its own name, as it may get another index meanwhile.
     */
    List<String> read() {
        return stream ? List.of(name) : List.copyOf(indices.keySet());
    }

    /** The same as the first part of a request's path. */
    String path() {
        return "/" + String.join(",", read().stream().map(Paths::encode).toList());
    }

    /** Whether the id of a document may be that of another as well. */
    boolean mayHaveAnIdTwice() {
        return indices.size() > 1;
    }

    /** Stays the same as long as its indices are the same. */
    String identity() {
        var uuids = new ArrayList<String>();
        indices.values().forEach(index -> uuids.add(setting(index, "index.uuid")));
        return String.join(",", uuids);
    }

    /** Primary shards of all its indices. */
    int shards() {
        return indices.values().stream()
                .mapToInt(index -> Integer.parseInt(setting(index, "index.number_of_shards")))
                .sum();
    }

    private static String setting(JsonNode index, String name) {
        return index.path("settings").path(name).asText("1");
    }

    /** Things a person should know before it is copied. */
    public List<String> warnings() {
        var warnings = new ArrayList<String>();
        if (indices.size() > 1) {
            warnings.add(
                    "%s is %d indices: the new one takes settings and mapping of %s, and of two documents of one id the one of the higher version"
                            .formatted(name, indices.size(), model));
        }
        indices.forEach((index, found) -> {
            JsonNode source = found.path("mappings").path("_source");
            if (source.has("excludes") || source.has("includes")) {
                warnings.add("%s keeps only some fields of its documents (_source), and only those can be copied"
                        .formatted(index));
            }
        });
        if (settings().keySet().stream()
                .anyMatch(key -> key.contains("lifecycle") || key.contains("state_management"))) {
            warnings.add("the policy that manages %s is not copied: put one on the new index if it is to have it"
                    .formatted(model));
        }
        return warnings;
    }

    private Map<String, String> settings() {
        var settings = new TreeMap<String, String>();
        indices.getOrDefault(model, JSON.createObjectNode())
                .path("settings")
                .properties()
                .forEach(entry -> settings.put(
                        entry.getKey(),
                        entry.getValue().isArray()
                                ? entry.getValue().toString()
                                : entry.getValue().asText()));
        return settings;
    }

    /**
     * How the new index is made: like this one, but for what is given.
     *
     * @param elsewhere whether the new index is in another cluster
     * @param given settings that replace those of this one
     * @param mapping JSON of a mapping that replaces this one's
     */
    public Target.IndexDefinition definition(boolean elsewhere, Map<String, String> given, Optional<String> mapping) {
        ObjectNode settings = JSON.createObjectNode();
        indices.getOrDefault(model, JSON.createObjectNode())
                .path("settings")
                .properties()
                .forEach(entry -> {
                    boolean hiddenStream = stream && entry.getKey().equals("index.hidden");
                    if (!hiddenStream && isCopied(entry.getKey(), elsewhere, given)) {
                        settings.set(entry.getKey(), entry.getValue());
                    }
                });
        given.forEach(settings::put);
        String mappings = mapping.orElseGet(this::mapping);
        return new Target.IndexDefinition(settings.toString(), Optional.of(() -> mappings));
    }

    private static boolean isCopied(String key, boolean elsewhere, Map<String, String> given) {
        if (elsewhere) {
            return PORTABLE.stream().anyMatch(key::startsWith);
        }
        boolean routing = key.equals("index.number_of_routing_shards") && given.containsKey("index.number_of_shards");
        return !routing && NOT_COPIED.stream().noneMatch(key::startsWith);
    }

    private String mapping() {
        JsonNode found = indices.getOrDefault(model, JSON.createObjectNode()).path("mappings");
        ObjectNode mapping = found instanceof ObjectNode object ? object.deepCopy() : JSON.createObjectNode();
        mapping.remove("_data_stream_timestamp"); // what a data stream adds to the mapping of its indices
        if (mapping.get("_meta") instanceof ObjectNode meta) {
            meta.remove(ClusterAliases.REPLACED_KEY);
            if (meta.isEmpty()) {
                mapping.remove("_meta");
            }
        }
        return mapping.toString();
    }
}
