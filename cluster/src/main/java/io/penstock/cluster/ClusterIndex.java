package io.penstock.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.penstock.core.checkpoint.DurabilityBarrier;
import io.penstock.core.delivery.BulkTransport;
import io.penstock.core.document.Document;
import io.penstock.envelope.EnvelopedIndex;
import io.penstock.job.SampledDocument;
import io.penstock.job.TargetException;
import io.penstock.job.TargetIndex;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** An index of a {@link Cluster}, as it was when it was found. */
final class ClusterIndex implements TargetIndex {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration QUICK = Duration.ofSeconds(30);
    private static final Duration SLOW = Duration.ofMinutes(10);
    /** A merge that takes longer is watched as a task. */
    private static final Duration MERGE_PATIENCE = Duration.ofSeconds(5);

    private static final Duration FLUSH_INTERVAL = Duration.ofSeconds(15);

    private final Cluster cluster;
    private final String asked;
    private final String name;
    private final String uuid;
    private final JsonNode settings;
    private final boolean dataStream;
    private String guard = "";

    /**
     * @param asked the name that people gave, which may be an alias
     * @param name the concrete index, or the data stream
     * @param found what the cluster says of it
     */
    ClusterIndex(Cluster cluster, String asked, String name, String uuid, JsonNode found, boolean dataStream) {
        this.cluster = cluster;
        this.asked = asked;
        this.name = name;
        this.uuid = uuid;
        this.settings = found.path("settings").path("index");
        this.dataStream = dataStream;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String uuid() {
        return uuid;
    }

    /** Asked anew each time, as an envelope may have changed it since the index was found. */
    @Override
    public boolean hasAsyncTranslog() {
        Cluster.Answer answer =
                cluster.call("GET", path() + "/_settings/index.translog.durability?flat_settings=true", null, QUICK);
        cluster.requireOk(answer, "the settings of " + name + " cannot be read");
        for (JsonNode index : answer.json()) {
            if (index.path("settings")
                    .path("index.translog.durability")
                    .asText("")
                    .equalsIgnoreCase("async")) {
                return true;
            }
        }
        return false;
    }

    @Override
    public Optional<String> guard(String alias) {
        if (dataStream) {
            return Optional.empty();
        }
        Cluster.Answer answer = putAlias(alias, true);
        if (answer.status() == 400) {
            answer = putAlias(alias, false); // servers before hidden aliases
        }
        if (answer.isOk()) {
            guard = alias;
            return Optional.empty();
        }
        return Optional.of(
                "if %s is deleted while it is loaded, the cluster may make it anew by itself: no alias could be put on it (%s)"
                        .formatted(name, answer.reason()));
    }

    private Cluster.Answer putAlias(String alias, boolean hidden) {
        ObjectNode body = JSON.createObjectNode();
        ObjectNode add = body.putArray("actions").addObject().putObject("add");
        add.put("index", name).put("alias", alias);
        if (hidden) {
            add.put("is_hidden", true);
        }
        return cluster.call("POST", "/_aliases", body, QUICK);
    }

    @Override
    public void unguard(String alias) {
        guard = "";
        Cluster.Answer answer =
                cluster.call("DELETE", "/" + Paths.encode(name) + "/_alias/" + Paths.encode(alias), null, QUICK);
        if (answer.status() != 404) {
            cluster.requireOk(answer, "the alias of this load cannot be removed");
        }
    }

    @Override
    public long countAfterRefresh() {
        Cluster.Answer refreshed = cluster.call("POST", path() + "/_refresh", null, SLOW);
        cluster.requireAllShards(refreshed, "the index " + name + " cannot be refreshed");
        Cluster.Answer counted = cluster.call("GET", path() + "/_count", null, SLOW);
        cluster.requireAllShards(counted, "the documents of " + name + " cannot be counted");
        return counted.json().path("count").asLong();
    }

    @Override
    public List<String> differences(List<SampledDocument> documents, Optional<String> pipeline) {
        Map<String, JsonNode> found =
                found(documents.stream().map(SampledDocument::id).toList(), true);
        boolean maybeChanged = runsPipeline(pipeline.filter(id -> !id.equals("_none")));
        var differences = new ArrayList<String>();
        for (SampledDocument document : documents) {
            JsonNode hit = found.get(document.id());
            if (hit == null) {
                differences.add("%s is not in %s (%s)".formatted(document.id(), name, document.place()));
            } else if (!maybeChanged && !isSame(document, hit)) {
                differences.add("%s is not in %s as it was read (%s)".formatted(document.id(), name, document.place()));
            }
        }
        return differences;
    }

    @Override
    public Set<String> absent(Set<String> ids) {
        Set<String> absent = new HashSet<>(ids);
        absent.removeAll(found(ids, false).keySet());
        return absent;
    }

    /** The hits of these ids. */
    private Map<String, JsonNode> found(Collection<String> ids, boolean whole) {
        ObjectNode search = JSON.createObjectNode()
                .put("size", ids.size())
                .put("version", whole)
                .put("_source", whole);
        ArrayNode values = search.putObject("query").putObject("ids").putArray("values");
        ids.forEach(values::add);
        Cluster.Answer answer = cluster.call("POST", path() + "/_search", search, SLOW);
        cluster.requireAllShards(answer, "the documents of " + name + " cannot be read back");
        Map<String, JsonNode> found = new HashMap<>();
        answer.json()
                .path("hits")
                .path("hits")
                .forEach(hit -> found.put(hit.path("_id").asText(), hit));
        return found;
    }

    private static boolean isSame(SampledDocument document, JsonNode hit) {
        boolean otherVersion = document.version() != Document.NO_VERSION
                && document.version() != hit.path("_version").asLong();
        try {
            return otherVersion || JSON.readTree(document.body()).equals(hit.path("_source"));
        } catch (IOException e) {
            return false; // the server took what is no JSON for us
        }
    }

    private boolean runsPipeline(Optional<String> pipeline) {
        return pipeline.isPresent()
                || !isNone(settings.path("default_pipeline"))
                || !isNone(settings.path("final_pipeline"));
    }

    @Override
    public Optional<String> noted(String key) {
        String note = cluster.meta(enveloped().name()).path(key).asText("");
        return note.isEmpty() ? Optional.empty() : Optional.of(note);
    }

    @Override
    public void note(String key, String text) {
        cluster.putMeta(enveloped().name(), key, Optional.of(TextNode.valueOf(text)));
    }

    @Override
    public BulkTransport transport(Optional<String> pipeline) {
        boolean piped = runsPipeline(pipeline);
        var parameters =
                new StringBuilder("filter_path=took,errors,items.*._id,items.*.status,items.*.error,error,status");
        if (piped) {
            parameters.append(",items.*.result,items.*._index");
        }
        pipeline.ifPresent(id -> parameters.append("&pipeline=").append(Paths.encode(id)));
        if (!guard.isEmpty()) {
            parameters.append("&require_alias=true");
        }
        return new HttpBulkTransport(
                cluster.http(),
                cluster.nodes(),
                cluster.requestDeadline(),
                "/" + Paths.encode(guard.isEmpty() ? writeName() : guard),
                parameters.toString(),
                piped && !dataStream ? name : "");
    }

    /** A data stream is written under its own name; everything else as the index that was found. */
    private String writeName() {
        return dataStream ? asked : name;
    }

    /**
     * A flush, and a look at the shards' primary terms. A primary that dies and comes back, or another one in its
     * place, has a new term: then writes may be gone that were acknowledged and not yet flushed.
     */
    @Override
    public DurabilityBarrier barrier() {
        Map<String, JsonNode> known = primaryTerms();
        return new DurabilityBarrier() {
            @Override
            public Durability makeDurable() {
                try {
                    Cluster.Answer answer = cluster.call("POST", path() + "/_flush?wait_if_ongoing=true", null, SLOW);
                    cluster.requireAllShards(answer, "the index " + name + " cannot be flushed");
                    Map<String, JsonNode> now = primaryTerms();
                    now.forEach((index, terms) -> known.putIfAbsent(index, firstTerms(terms)));
                    if (known.entrySet().stream()
                            .allMatch(each -> now.getOrDefault(each.getKey(), each.getValue())
                                    .equals(each.getValue()))) {
                        return new Durability.Safe();
                    }
                    return new Durability.Lost(
                            "a server with shards of %s was restarted and may have lost what it had not yet written to disk (asynchronous translog)"
                                    .formatted(name));
                } catch (TargetException e) {
                    return new Durability.NotYet(String.valueOf(e.getMessage()));
                }
            }

            @Override
            public Duration interval() {
                return FLUSH_INTERVAL;
            }
        };
    }

    /** What a shard has that was made just now: a data stream gets new indices while it is loaded. */
    private static JsonNode firstTerms(JsonNode terms) {
        ObjectNode first = JSON.createObjectNode();
        terms.fieldNames().forEachRemaining(shard -> first.put(shard, 1));
        return first;
    }

    private Map<String, JsonNode> primaryTerms() {
        Cluster.Answer answer = cluster.call(
                "GET",
                "/_cluster/state/metadata" + path() + "?filter_path=metadata.indices.*.primary_terms",
                null,
                QUICK);
        cluster.requireOk(answer, "the shards of " + name + " cannot be looked at");
        var terms = new HashMap<String, JsonNode>();
        answer.json()
                .at("/metadata/indices")
                .properties()
                .forEach(index -> terms.put(index.getKey(), index.getValue().path("primary_terms")));
        return terms;
    }

    // ---- envelope and finish ------------------------------------------------------------------------------------

    @Override
    public EnvelopedIndex enveloped() {
        if (!dataStream) {
            return cluster.enveloped(name);
        }
        Cluster.Answer answer = cluster.call("GET", "/_data_stream/" + Paths.encode(name), null, QUICK);
        cluster.requireOk(answer, "the data stream " + name + " cannot be looked up");
        JsonNode backing = answer.json().path("data_streams").path(0).path("indices");
        return cluster.enveloped(
                backing.path(backing.size() - 1).path("index_name").asText());
    }

    @Override
    public Health health() {
        Cluster.Answer answer = cluster.call("GET", "/_cluster/health" + path(), null, QUICK);
        if (answer.status() != 408) {
            cluster.requireOk(answer, "the health of " + name + " cannot be asked");
        }
        JsonNode health = answer.json();
        int initializing = health.path("initializing_shards").asInt();
        return new Health(
                health.path("status").asText("red"),
                health.path("active_primary_shards").asInt(),
                health.path("active_shards").asInt(),
                initializing,
                initializing == 0 ? 100 : recovered());
    }

    private int recovered() {
        Cluster.Answer answer = cluster.call(
                "GET", path() + "/_recovery?active_only=true&filter_path=*.shards.index.size", null, QUICK);
        long total = 0;
        long there = 0;
        for (JsonNode index : answer.json()) {
            for (JsonNode shard : index.path("shards")) {
                JsonNode size = shard.path("index").path("size");
                total += size.path("total_in_bytes").asLong();
                there += size.path("recovered_in_bytes").asLong()
                        + size.path("reused_in_bytes").asLong();
            }
        }
        return total == 0 ? 0 : (int) (100 * there / total);
    }

    @Override
    public void beginForceMerge(int segmentsMax) {
        try {
            Cluster.Answer answer = cluster.callOnce(
                    "POST", path() + "/_forcemerge?flush=true&max_num_segments=" + segmentsMax, null, MERGE_PATIENCE);
            cluster.requireAllShards(answer, "the index " + name + " cannot be merged");
        } catch (HttpExchange.NoAnswerException e) {
            // It goes on in the cluster, where it is watched.
        }
    }

    @Override
    public boolean isMerging() {
        Cluster.Answer answer =
                cluster.call("GET", "/_tasks?detailed=true&actions=indices:admin/forcemerge*", null, QUICK);
        cluster.requireOk(answer, "the cluster's tasks cannot be looked at");
        for (JsonNode node : answer.json().path("nodes")) {
            for (JsonNode task : node.path("tasks")) {
                if (task.path("description").asText().contains("[" + name + "]")) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public int segmentsMax() {
        // Merged segments are seen, and counted, only after a refresh.
        cluster.requireAllShards(
                cluster.call("POST", path() + "/_refresh", null, SLOW), "the index " + name + " cannot be refreshed");
        Cluster.Answer answer = cluster.call(
                "GET", path() + "/_segments?filter_path=indices.*.shards.*.num_search_segments", null, QUICK);
        cluster.requireOk(answer, "the segments of " + name + " cannot be counted");
        int most = 0;
        for (JsonNode index : answer.json().path("indices")) {
            for (JsonNode copies : index.path("shards")) {
                for (JsonNode copy : copies) {
                    most = Math.max(most, copy.path("num_search_segments").asInt());
                }
            }
        }
        return most;
    }

    private String path() {
        return "/" + Paths.encode(name);
    }

    private static boolean isNone(JsonNode pipeline) {
        return pipeline.isMissingNode() || pipeline.asText().equals("_none");
    }
}
