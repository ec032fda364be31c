package io.penstock.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.core.delivery.BulkReply;
import io.penstock.envelope.EnvelopedIndex;
import io.penstock.envelope.Journal;
import io.penstock.job.Aliases;
import io.penstock.job.Target;
import io.penstock.job.TargetException;
import io.penstock.job.TargetIndex;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cluster over HTTP. Thread-safe once {@link #facts()} has answered. */
public final class Cluster implements Target, AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(Cluster.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration QUICK = Duration.ofSeconds(10);
    private static final Duration SNIFF = Duration.ofSeconds(2);
    /** What a node takes when it does not say: the default of {@code http.max_content_length}. */
    private static final long CONTENT_BYTES_DEFAULT = 100L << 20;
    /** An answer of the admin APIs that we ask for is far smaller. */
    private static final int ANSWER_BYTES_MAX = 64 << 20;

    private final ClusterOptions options;
    private final HttpExchange http;
    private NodeRing nodes;
    private volatile @Nullable ClusterFacts facts;

    public Cluster(ClusterOptions options) {
        this.options = options;
        this.http = new HttpExchange(options);
        this.nodes = new NodeRing(options.targets());
    }

    /**
     * An answer with JSON, or with none.
     *
     * @param text what it says as it came, for messages
     */
    record Answer(int status, JsonNode json, String text) {
        boolean isOk() {
            return status / 100 == 2;
        }

        String reason() {
            return Replies.reason(Replies.error(text), text);
        }
    }

    @Override
    public synchronized ClusterFacts facts() {
        ClusterFacts known = facts;
        if (known == null) {
            known = ask();
            facts = known;
            if (options.sniff()) {
                sniff();
            }
        }
        return known;
    }

    /** The addresses that requests are shared between. */
    public List<URI> addresses() {
        return nodes.uris();
    }

    private ClusterFacts ask() {
        Answer root = call("GET", "/", null, QUICK);
        if (root.status() == 401 || root.status() == 403) {
            throw new TargetException(
                    TargetException.Reason.REFUSES,
                    "%s refuses the credentials (HTTP %d): check -u or --api-key".formatted(where(), root.status()),
                    null);
        }
        Answer http = call(
                "GET",
                "/_nodes/http?filter_path=nodes.*.version,nodes.*.http.max_content_length_in_bytes",
                null,
                QUICK);
        if (!http.isOk() || http.json().path("nodes").isEmpty()) {
            throw notACluster(root.isOk() ? http : root);
        }
        long contentBytes = CONTENT_BYTES_DEFAULT;
        String version = "";
        for (JsonNode node : http.json().path("nodes")) {
            contentBytes = Math.min(
                    contentBytes,
                    node.path("http").path("max_content_length_in_bytes").asLong(contentBytes));
            version = node.path("version").asText();
        }
        boolean openSearch = root.isOk()
                ? root.json().path("version").path("distribution").asText("").equals("opensearch")
                : false;
        String uuid = root.json().path("cluster_uuid").asText("");
        if (uuid.isEmpty() || uuid.equals("_na_")) {
            uuid = call("GET", "/_cluster/state/metadata?filter_path=metadata.cluster_uuid", null, QUICK)
                    .json()
                    .path("metadata")
                    .path("cluster_uuid")
                    .asText("");
        }
        return new ClusterFacts(openSearch ? "OpenSearch" : "Elasticsearch", version, uuid, contentBytes);
    }

    private TargetException notACluster(Answer answer) {
        return new TargetException(
                answer.status() / 100 == 5 || answer.status() == 429
                        ? TargetException.Reason.UNUSABLE
                        : TargetException.Reason.REFUSES,
                "%s does not answer like OpenSearch or Elasticsearch (HTTP %d, %s): check the address"
                        .formatted(where(), answer.status(), answer.reason()),
                null);
    }

    private String where() {
        return options.targets().get(0).toString();
    }

    // ---- nodes --------------------------------------------------------------------------------------------------

    /** Finds the other nodes; those that do not answer from here are left out, and the given addresses always stay. */
    private void sniff() {
        Answer answer = call("GET", "/_nodes/http?filter_path=nodes.*.http.publish_address,nodes.*.roles", null, QUICK);
        URI given = options.targets().get(0);
        String path = given.getPath() == null ? "" : given.getPath();
        if (!answer.isOk() || !(path.isEmpty() || path.equals("/"))) {
            return;
        }
        var reachable = new ArrayList<URI>();
        for (JsonNode node : answer.json().path("nodes")) {
            String address = node.path("http").path("publish_address").asText("");
            if (!address.isEmpty() && takesDocuments(node.path("roles"))) {
                URI uri = URI.create(given.getScheme() + "://" + address.substring(address.indexOf('/') + 1));
                if (answers(uri)) {
                    reachable.add(uri);
                }
            }
        }
        LOGGER.debug("{} nodes found and reachable", reachable.size());
        if (reachable.size() > 1) {
            nodes = new NodeRing(reachable);
        }
    }

    private static boolean takesDocuments(JsonNode roles) {
        if (roles.isEmpty()) {
            return true;
        }
        for (JsonNode role : roles) {
            if (role.asText().startsWith("data") || role.asText().equals("ingest")) {
                return true;
            }
        }
        return false;
    }

    private boolean answers(URI node) {
        try {
            return http.call(
                    "GET", Paths.at(node, "/_nodes/_local?filter_path=cluster_name"), null, SNIFF, (answer, body) -> {
                        body.readNBytes(ANSWER_BYTES_MAX);
                        return answer.getCode() == 200;
                    });
        } catch (HttpExchange.NoAnswerException e) {
            LOGGER.debug("node {} is not reachable from here: {}", node, e.getMessage());
            return false;
        }
    }

    // ---- indices ------------------------------------------------------------------------------------------------

    @Override
    public Optional<TargetIndex> find(String name) {
        Answer answer = call(
                "GET",
                "/%s?filter_path=*.aliases,*.settings.index.uuid,*.settings.index.translog.durability,*.settings.index.default_pipeline,*.settings.index.final_pipeline,*.data_stream"
                        .formatted(Paths.encode(name)),
                null,
                QUICK);
        if (answer.status() == 404) {
            return Optional.empty();
        }
        requireOk(answer, "the index " + name + " cannot be looked up");
        if (answer.json().has(name)) {
            return Optional.of(index(name, name, answer.json().get(name)));
        }
        Map<String, JsonNode> behind = new LinkedHashMap<>();
        answer.json().properties().forEach(entry -> behind.put(entry.getKey(), entry.getValue()));
        Optional<Map.Entry<String, JsonNode>> stream = behind.entrySet().stream()
                .filter(entry -> entry.getValue().path("data_stream").asText("").equals(name))
                .findFirst();
        if (stream.isPresent()) {
            return Optional.of(
                    new ClusterIndex(this, name, name, "", stream.get().getValue(), true));
        }
        String write = writeIndex(name, behind);
        return Optional.of(index(name, write, Objects.requireNonNull(behind.get(write))));
    }

    private TargetIndex index(String asked, String name, JsonNode found) {
        JsonNode settings = found.path("settings").path("index");
        return new ClusterIndex(this, asked, name, settings.path("uuid").asText(""), found, false);
    }

    private static String writeIndex(String alias, Map<String, JsonNode> behind) {
        if (behind.size() == 1) {
            return behind.keySet().iterator().next();
        }
        return behind.entrySet().stream()
                .filter(entry -> entry.getValue()
                        .path("aliases")
                        .path(alias)
                        .path("is_write_index")
                        .asBoolean(false))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new TargetException(
                        TargetException.Reason.REFUSES,
                        "the alias %s stands for %d indices and none is its write index: name the index itself"
                                .formatted(alias, behind.size()),
                        null));
    }

    @Override
    public TargetIndex create(String name, IndexDefinition definition) {
        ObjectNode body = JSON.createObjectNode();
        try {
            body.set("settings", JSON.readTree(definition.settings()));
            if (definition.mappings().isPresent()) {
                body.set(
                        "mappings",
                        mappings(JSON.readTree(definition.mappings().get().get())));
            }
        } catch (JsonProcessingException e) {
            throw new TargetException(
                    TargetException.Reason.USAGE, "the mapping is no JSON: " + e.getOriginalMessage(), e);
        }
        Answer answer = call("PUT", "/" + Paths.encode(name), body, Duration.ofMinutes(1));
        if (answer.status() == 400 && answer.text().contains("creates data streams only")) {
            createDataStream(name, body);
        } else if (answer.status() == 400 && !answer.text().contains("resource_already_exists")) {
            throw new TargetException(
                    TargetException.Reason.USAGE,
                    "the index %s cannot be made: %s".formatted(name, answer.reason()),
                    null);
        }
        if (answer.status() != 400) {
            requireOk(answer, "the index " + name + " cannot be made");
        }
        return find(name)
                .orElseThrow(() -> new TargetException(
                        TargetException.Reason.UNUSABLE,
                        "the index %s was made and is not there".formatted(name),
                        null));
    }

    /** An index template says that the name is a data stream's: then the template alone says how it is made. */
    private void createDataStream(String name, ObjectNode wanted) {
        if (!wanted.path("settings").isEmpty() || wanted.has("mappings")) {
            throw new TargetException(
                    TargetException.Reason.USAGE,
                    "%s is a data stream by its index template, which also has its settings and mapping: change them there"
                            .formatted(name),
                    null);
        }
        Answer answer = call("PUT", "/_data_stream/" + Paths.encode(name), null, Duration.ofMinutes(1));
        if (!answer.text().contains("resource_already_exists")) {
            requireOk(answer, "the data stream " + name + " cannot be made");
        }
    }

    /** People save mappings with and without the outer key. */
    private static JsonNode mappings(JsonNode given) {
        return given.has("mappings") ? given.get("mappings") : given;
    }

    // ---- envelopes and aliases ----------------------------------------------------------------------------------

    @Override
    public DataNodes dataNodes() {
        Answer answer = call(
                "GET",
                "/_nodes/stats/fs,jvm?filter_path=nodes.*.roles,nodes.*.fs.total.available_in_bytes,nodes.*.jvm.mem.heap_max_in_bytes",
                null,
                QUICK);
        requireOk(answer, "the nodes cannot be looked up");
        int count = 0;
        long heap = Long.MAX_VALUE;
        long disk = Long.MAX_VALUE;
        for (JsonNode node : answer.json().path("nodes")) {
            if (holdsData(node.path("roles"))) {
                count++;
                heap = Math.min(
                        heap,
                        node.path("jvm").path("mem").path("heap_max_in_bytes").asLong(0));
                disk = Math.min(
                        disk,
                        node.path("fs").path("total").path("available_in_bytes").asLong(0));
            }
        }
        return count == 0 ? new DataNodes(1, 0, 0) : new DataNodes(count, heap, disk);
    }

    private static boolean holdsData(JsonNode roles) {
        for (JsonNode role : roles) {
            if (role.asText().startsWith("data")) {
                return true;
            }
        }
        return roles.isEmpty();
    }

    @Override
    public Map<String, Journal> journals() {
        Answer answer = call(
                "GET",
                "/_all/_mapping?expand_wildcards=all&filter_path=*.mappings._meta." + ClusterEnvelope.META_KEY,
                null,
                QUICK);
        requireOk(answer, "the mappings cannot be read");
        var journals = new TreeMap<String, Journal>();
        answer.json()
                .properties()
                .forEach(entry -> ClusterEnvelope.journal(
                                entry.getValue().path("mappings").path("_meta"))
                        .ifPresent(journal -> journals.put(entry.getKey(), journal)));
        return journals;
    }

    /** The settings of an index, by its own name. */
    public EnvelopedIndex enveloped(String index) {
        return new ClusterEnvelope(this, index);
    }

    /** Sets or removes one key of a mapping's {@code _meta}. */
    void putMeta(String index, String key, Optional<JsonNode> value) {
        String path = "/" + Paths.encode(index) + "/_mapping";
        ObjectNode meta = meta(index) instanceof ObjectNode object ? object : JSON.createObjectNode();
        value.ifPresentOrElse(json -> meta.set(key, json), () -> meta.remove(key));
        requireOk(
                call("PUT", path, JSON.createObjectNode().set("_meta", meta), QUICK),
                "nothing can be noted in the mapping of " + index);
    }

    /** The {@code _meta} in the mapping of an index. */
    JsonNode meta(String index) {
        Answer answer = call("GET", "/" + Paths.encode(index) + "/_mapping?filter_path=*.mappings._meta", null, QUICK);
        requireOk(answer, "the mapping of " + index + " cannot be read");
        return answer.json().path(index).path("mappings").path("_meta");
    }

    @Override
    public Aliases aliases() {
        return new ClusterAliases(this);
    }

    /** An address to show in requests for people. */
    String anyNode() {
        String uri = options.targets().get(0).toString();
        return uri.endsWith("/") ? uri.substring(0, uri.length() - 1) : uri;
    }

    // ---- searches -----------------------------------------------------------------------------------------------

    /**
     * Searches an index.
     *
     * @param query the request's body, JSON
     * @return the answer's body
     */
    public JsonNode search(String index, String query) {
        try {
            Answer answer = call("POST", "/" + Paths.encode(index) + "/_search", JSON.readTree(query), QUICK);
            requireOk(answer, "the search in " + index + " failed");
            return answer.json();
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the query is no JSON", e);
        }
    }

    // ---- calls --------------------------------------------------------------------------------------------------

    HttpExchange http() {
        return http;
    }

    NodeRing nodes() {
        return nodes;
    }

    Duration requestDeadline() {
        return options.requestDeadline();
    }

    void requireOk(Answer answer, String what) {
        if (answer.isOk()) {
            return;
        }
        boolean unusable = answer.status() >= 500
                || answer.status() == 429
                || answer.status() == 408
                || answer.text().contains("index_create_block_exception"); // disks are full
        throw new TargetException(
                unusable ? TargetException.Reason.UNUSABLE : TargetException.Reason.REFUSES,
                "%s: %s (HTTP %d)".formatted(what, answer.reason(), answer.status()),
                null);
    }

    /** The same for an answer of many shards, which says that all is well when some are not there. */
    void requireAllShards(Answer answer, String what) {
        requireOk(answer, what);
        int failed = answer.json().path("_shards").path("failed").asInt(0);
        if (failed > 0) {
            throw new TargetException(
                    TargetException.Reason.UNUSABLE,
                    "%s: %d shards failed; see GET /_cluster/allocation/explain".formatted(what, failed),
                    null);
        }
    }

    /** Asks one node after the other until one answers. */
    Answer call(String method, String path, @Nullable JsonNode body, Duration deadline) {
        return call(method, path, body, deadline, Cluster::answer);
    }

    /** The same, for an answer that is not read as a whole. */
    <T> T call(
            String method,
            String path,
            @Nullable JsonNode body,
            Duration deadline,
            HttpExchange.AnswerReader<T> reader) {
        HttpExchange.NoAnswerException last = null;
        int tries = Math.max(3, nodes.size());
        for (int i = 0; i < tries; i++) {
            try {
                return callOnce(method, path, body, deadline, reader);
            } catch (HttpExchange.NoAnswerException e) {
                last = e;
                if (e.reason() == BulkReply.Cause.UNTRUSTED) {
                    break;
                }
            }
        }
        throw unusable(Objects.requireNonNull(last));
    }

    /** One node, once: for what must not be asked for twice. */
    Answer callOnce(String method, String path, @Nullable JsonNode body, Duration deadline)
            throws HttpExchange.NoAnswerException {
        return callOnce(method, path, body, deadline, Cluster::answer);
    }

    /** The same, for an answer that is not read as a whole. */
    <T> T callOnce(
            String method, String path, @Nullable JsonNode body, Duration deadline, HttpExchange.AnswerReader<T> reader)
            throws HttpExchange.NoAnswerException {
        NodeRing.Node node = nodes.take(System.nanoTime());
        long began = System.nanoTime();
        try {
            T answer = http.call(method, Paths.at(node.uri(), path), entity(body), deadline, reader);
            nodes.answered(node, System.nanoTime() - began);
            return answer;
        } catch (HttpExchange.NoAnswerException e) {
            nodes.failed(node, System.nanoTime());
            throw e;
        }
    }

    private static Answer answer(ClassicHttpResponse response, InputStream in) throws IOException {
        String text = new String(in.readNBytes(ANSWER_BYTES_MAX), java.nio.charset.StandardCharsets.UTF_8);
        return new Answer(response.getCode(), json(text), text);
    }

    private TargetException unusable(HttpExchange.NoAnswerException e) {
        // Only at the first look: later it has answered, and closes connections because it is in trouble.
        boolean plain = facts == null && "http".equals(options.targets().get(0).getScheme());
        boolean noTls = HttpExchange.meetsPlainText(e.getCause());
        String hint = switch (e.reason()) {
            case NOT_CONNECTED -> ": start the cluster, or check the address";
            case CLOSED -> plain ? ": if this port speaks TLS, use https://" : "";
            case UNTRUSTED -> noTls ? "" : ": trust its authority with --cacert";
            case TIMED_OUT, GARBLED, FOREIGN -> "";
        };
        return new TargetException(
                noTls || (plain && e.reason() == BulkReply.Cause.CLOSED)
                        ? TargetException.Reason.USAGE
                        : e.reason() == BulkReply.Cause.UNTRUSTED
                                ? TargetException.Reason.REFUSES
                                : TargetException.Reason.UNUSABLE,
                e.getMessage() + hint,
                e);
    }

    private static @Nullable StringEntity entity(@Nullable JsonNode body) {
        return body == null ? null : new StringEntity(body.toString(), ContentType.APPLICATION_JSON);
    }

    private static JsonNode json(String text) {
        try {
            JsonNode json = JSON.readTree(text);
            return json == null ? MissingNode.getInstance() : json;
        } catch (IOException e) {
            return MissingNode.getInstance();
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
