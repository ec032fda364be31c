package io.penstock.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.core.document.Position;
import io.penstock.core.source.Partition;
import io.penstock.core.source.Source;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceReader;
import io.penstock.job.CatchUp;
import io.penstock.job.SampledDocument;
import io.penstock.job.TargetException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * An index of a cluster as a source, in slices. A slice holds the documents whose id hashes to it
 * ({@code SliceBuilder}, the same in all versions), so that a document that is updated meanwhile stays in its slice and
 * is never missed.
 *
 * <p>Documents keep id, routing and version. The version is an external one where they go, so that a slice can be read
 * again, and an old copy never replaces a newer one.
 */
public final class IndexSource implements Source {
    /** Fewer make a resume cost more, as it begins with whole slices. */
    private static final int SLICES_MIN = 8;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration QUICK = Duration.ofSeconds(30);
    private static final Duration SLOW = Duration.ofMinutes(10);

    private final Cluster cluster;
    private final CopiedIndex copied;
    private final Optional<JsonNode> query;
    private final Duration outageMax;
    private final Consumer<String> told;
    private final int slices;
    private final long documents;
    private final long storedBytes;
    private final JsonNode writtenBefore;
    private final List<Partition> partitions;

    /**
     * @param query which documents; nothing for all
     * @param outageMax how long the cluster may be unusable while it is read
     * @param told hears what a person should know
     * @param slices in how many parts
     */
    private IndexSource(
            Cluster cluster,
            CopiedIndex copied,
            Optional<JsonNode> query,
            Duration outageMax,
            Consumer<String> told,
            int slices) {
        this.cluster = cluster;
        this.copied = copied;
        this.query = query;
        this.outageMax = outageMax;
        this.told = told;
        this.slices = slices;
        refresh();
        this.writtenBefore = written();
        this.documents = count();
        this.storedBytes = storedBytes();
        this.partitions = cut();
    }

    /**
     * An index, an alias or a data stream.
     *
     * @param query JSON of a query, or nothing for all documents
     * @param outageMax how long the cluster may be unusable while it is read
     * @param told hears what a person should know
     * @throws TargetException if it cannot be asked, or the query makes no sense
     */
    public static IndexSource of(
            Cluster cluster, CopiedIndex copied, Optional<String> query, Duration outageMax, Consumer<String> told) {
        int shards = copied.shards();
        int slices = shards >= SLICES_MIN ? shards : shards * ((SLICES_MIN + shards - 1) / shards);
        return new IndexSource(cluster, copied, query.map(IndexSource::query), outageMax, told, slices);
    }

    /** People save queries with and without the outer key. */
    private static JsonNode query(String json) {
        try {
            JsonNode given = JSON.readTree(json);
            return given.has("query") ? given.get("query") : given;
        } catch (JsonProcessingException e) {
            throw new TargetException(
                    TargetException.Reason.USAGE, "the query is no JSON: " + e.getOriginalMessage(), e);
        }
    }

    @Override
    public String name() {
        return copied.name();
    }

    @Override
    public List<Partition> partitions() {
        return partitions;
    }

    private List<Partition> cut() {
        String identity = copied.identity() + query.map(JsonNode::toString).orElse("");
        var list = new ArrayList<Partition>();
        for (int slice = 0; slice < slices; slice++) {
            list.add(new Partition(
                    slice,
                    "%s, slice %d of %d".formatted(copied.name(), slice + 1, slices),
                    storedBytes / slices,
                    identity,
                    Integer.toHexString(identity.hashCode())));
        }
        return List.copyOf(list);
    }

    /** How many documents it had when it was looked up. */
    public long documentsAtStart() {
        return documents;
    }

    @Override
    public SourceReader open(Partition partition, Position from) {
        long perSlice = Math.max(1, documents / slices);
        return new SliceReader(
                cluster, copied, search(partition), storedBytes / slices, perSlice, outageMax, told, from);
    }

    /** What both ways of reading a slice say: which documents, in which order, and that versions are wanted. */
    private ObjectNode search(Partition partition) {
        ObjectNode search = source(partition);
        search.put("version", true);
        search.putArray("sort").add("_doc");
        return search;
    }

    /** The part of a search, and of a reindex request, that says which documents a slice has. */
    ObjectNode source(Partition partition) {
        ObjectNode source = JSON.createObjectNode();
        query.ifPresent(json -> source.set("query", json));
        if (slices > 1) {
            source.putObject("slice").put("id", partition.ordinal()).put("max", slices);
        }
        return source;
    }

    List<String> indices() {
        return copied.read();
    }

    /** How many documents make a request of a few megabytes. */
    int batchDocuments() {
        return SliceReader.batchDocuments(storedBytes, documents);
    }

    @Override
    public void checkUnchanged(Partition partition) throws SourceException {
        Cluster.Answer answer = cluster.call("GET", copied.path() + "/_settings", null, QUICK);
        if (answer.status() == 404) {
            throw new SourceException(
                    SourceException.Reason.GONE, copied.name() + " was deleted while it was read", Position.START);
        }
    }

    @Override
    public boolean isResumable() {
        return true;
    }

    @Override
    public OptionalLong documents() {
        refresh();
        if (copied.mayHaveAnIdTwice()) {
            return OptionalLong.empty(); // an id may be in several of them
        }
        boolean atRest = !writtenBefore.isMissingNode() && written().equals(writtenBefore);
        return atRest ? OptionalLong.of(count()) : OptionalLong.empty();
    }

    /** Some of its documents, each as likely as any other. */
    public List<SampledDocument> sample() {
        ObjectNode search =
                JSON.createObjectNode().put("size", SampledDocument.COUNT).put("version", true);
        ObjectNode scored = search.putObject("query").putObject("function_score");
        query.ifPresent(json -> scored.set("query", json));
        scored.putObject("random_score");
        var sample = new ArrayList<SampledDocument>();
        for (JsonNode hit : hits(search)) {
            byte[] body = hit.path("_source").toString().getBytes(StandardCharsets.UTF_8);
            if (body.length <= SampledDocument.BYTES_MAX) {
                String id = hit.path("_id").asText();
                sample.add(new SampledDocument(id, hit.path("_version").asLong(), copied.name(), body));
            }
        }
        return sample;
    }

    // ---- catching up --------------------------------------------------------------------------------------------

    /**
     * What changes while the index is copied, found by a field that grows with every change.
     *
     * @throws TargetException if the field cannot tell
     */
    public CatchUp catchUp(String field) {
        Optional<String> format = format(field);
        return new CatchUp() {
            @Override
            public Optional<String> newest() {
                refresh();
                ObjectNode search = JSON.createObjectNode().put("size", 1).put("_source", false);
                search.putArray("sort").addObject().putObject(field).put("order", "desc");
                JsonNode newest = hits(search).path(0).path("sort").path(0);
                return newest.isMissingNode() || newest.isNull() ? Optional.empty() : Optional.of(newest.asText());
            }

            @Override
            public Source since(Optional<String> value) {
                ObjectNode both = JSON.createObjectNode();
                ArrayNode filter = both.putObject("bool").putArray("filter");
                query.ifPresent(filter::add);
                value.ifPresent(bound -> {
                    ObjectNode range = filter.addObject()
                            .putObject("range")
                            .putObject(field)
                            .put("gte", bound);
                    format.ifPresent(text -> range.put("format", text));
                });
                return new IndexSource(cluster, copied, Optional.of(both), outageMax, told, 1);
            }
        };
    }

    /** The format in which sort values of the field are compared again; those of dates are milliseconds. */
    private Optional<String> format(String field) {
        Cluster.Answer answer = cluster.call(
                "GET", "%s/_field_caps?fields=%s".formatted(copied.path(), Paths.encode(field)), null, QUICK);
        cluster.requireOk(answer, "the field %s of %s cannot be looked up".formatted(field, copied.name()));
        var types = new TreeMap<String, JsonNode>();
        answer.json()
                .path("fields")
                .path(field)
                .properties()
                .forEach(type -> types.put(type.getKey(), type.getValue()));
        if (types.size() == 1 && types.containsKey("date")) {
            return Optional.of("epoch_millis");
        }
        boolean sortable = types.size() == 1
                && List.of("long", "integer", "short", "unsigned_long", "keyword")
                        .contains(types.firstKey());
        if (!sortable) {
            throw new TargetException(
                    TargetException.Reason.USAGE,
                    "--catch-up needs a date, a whole number or a keyword that grows with every change, and %s of %s is %s"
                            .formatted(field, copied.name(), types.isEmpty() ? "not there" : types.keySet()),
                    null);
        }
        return Optional.empty();
    }

    // ---- looking ------------------------------------------------------------------------------------------------

    /** What was written before we came is to be seen; who may only read cannot ask for it, and then waits for it. */
    private void refresh() {
        cluster.call("POST", copied.path() + "/_refresh", null, SLOW);
    }

    private long count() {
        ObjectNode body = JSON.createObjectNode();
        query.ifPresent(json -> body.set("query", json));
        Cluster.Answer answer = cluster.call("POST", copied.path() + "/_count", body, SLOW);
        if (answer.status() == 400) {
            throw new TargetException(
                    TargetException.Reason.USAGE,
                    "%s cannot be asked with this query: %s".formatted(copied.name(), answer.reason()),
                    null);
        }
        cluster.requireAllShards(answer, "the documents of " + copied.name() + " cannot be counted");
        return answer.json().path("count").asLong();
    }

    private JsonNode hits(ObjectNode search) {
        Cluster.Answer answer = cluster.call("POST", copied.path() + "/_search", search, SLOW);
        cluster.requireOk(answer, copied.name() + " cannot be searched");
        return answer.json().path("hits").path("hits");
    }

    private long storedBytes() {
        Cluster.Answer answer = cluster.call(
                "GET",
                "%s/_stats/store?filter_path=_all.primaries.store.size_in_bytes".formatted(copied.path()),
                null,
                QUICK);
        return answer.json()
                .path("_all")
                .path("primaries")
                .path("store")
                .path("size_in_bytes")
                .asLong(0);
    }

    /**
     * The number of the last operation on each shard: the same at two moments if nothing was written between them. A
     * missing node where that may not be asked.
     */
    private JsonNode written() {
        Cluster.Answer answer = cluster.call(
                "GET",
                "%s/_stats?level=shards&filter_path=indices.*.shards.*.seq_no.max_seq_no,indices.*.shards.*.routing.primary"
                        .formatted(copied.path()),
                null,
                QUICK);
        if (!answer.isOk()) {
            return com.fasterxml.jackson.databind.node.MissingNode.getInstance();
        }
        Map<String, Long> last = new HashMap<>();
        answer.json()
                .path("indices")
                .properties()
                .forEach(index -> index.getValue().path("shards").properties().forEach(shard -> {
                    for (JsonNode copy : shard.getValue()) {
                        if (copy.path("routing").path("primary").asBoolean()) {
                            last.put(
                                    index.getKey() + '/' + shard.getKey(),
                                    copy.path("seq_no").path("max_seq_no").asLong());
                        }
                    }
                }));
        return JSON.valueToTree(new TreeMap<>(last));
    }
}
