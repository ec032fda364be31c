package io.penstock.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.envelope.Change;
import io.penstock.envelope.EnvelopedIndex;
import io.penstock.envelope.Journal;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Settings of one index, and the journal in its mapping's {@code _meta}. A mapping update replaces {@code _meta} as a
 * whole ({@code RootObjectMapper}, OpenSearch 3.6), so that what others keep there is read and written back.
 */
final class ClusterEnvelope implements EnvelopedIndex {
    /** The one key in {@code _meta} that is ours while a load runs. */
    static final String META_KEY = "penstock";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration QUICK = Duration.ofSeconds(10);

    private final Cluster cluster;
    private final String name;

    ClusterEnvelope(Cluster cluster, String name) {
        this.cluster = cluster;
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Optional<State> read() {
        Cluster.Answer answer = cluster.call(
                "GET", path() + "?flat_settings=true&filter_path=*.settings,*.mappings._meta", null, QUICK);
        if (answer.status() == 404) {
            return Optional.empty();
        }
        cluster.requireOk(answer, "the settings of " + name + " cannot be read");
        Cluster.Answer persistent =
                cluster.call("GET", "/_cluster/settings?flat_settings=true&filter_path=persistent", null, QUICK);
        JsonNode index = answer.json().path(name);
        return Optional.of(new State(
                texts(index.path("settings")),
                texts(persistent.json().path("persistent")),
                journal(index.path("mappings").path("_meta"))));
    }

    private static Map<String, String> texts(JsonNode settings) {
        var texts = new TreeMap<String, String>();
        settings.properties().forEach(setting -> {
            if (setting.getValue().isValueNode() && !setting.getValue().isNull()) {
                texts.put(setting.getKey(), setting.getValue().asText());
            }
        });
        return texts;
    }

    @Override
    public void write(Journal journal) {
        cluster.putMeta(name, META_KEY, Optional.of(json(journal)));
    }

    @Override
    public void erase() {
        cluster.putMeta(name, META_KEY, Optional.empty());
    }

    @Override
    public Optional<String> change(Map<String, Optional<String>> settings) {
        return put(path() + "/_settings", body(settings), "the settings of " + name + " cannot be changed");
    }

    @Override
    public Optional<String> changeCluster(Map<String, Optional<String>> settings) {
        return put(
                "/_cluster/settings",
                JSON.createObjectNode().set("persistent", body(settings)),
                "the cluster's settings cannot be changed");
    }

    /** A refusal is an answer: a wrong setting, a missing right, a block (429 when disks are at flood stage). */
    private Optional<String> put(String path, JsonNode body, String what) {
        Cluster.Answer answer = cluster.call("PUT", path, body, QUICK);
        if (answer.isOk() || answer.status() == 404 || answer.status() / 100 == 5) {
            cluster.requireOk(answer, what);
            return Optional.empty();
        }
        return Optional.of("%s (HTTP %d)".formatted(answer.reason(), answer.status()));
    }

    @Override
    public boolean isClusterChangedElsewhere() {
        return cluster.journals().entrySet().stream()
                .anyMatch(entry -> !entry.getKey().equals(name)
                        && !entry.getValue().clusterSettings().isEmpty());
    }

    @Override
    public String request(Map<String, Optional<String>> settings) {
        return "curl -X PUT '%s%s/_settings' -H 'Content-Type: application/json' -d '%s'"
                .formatted(cluster.anyNode(), path(), body(settings));
    }

    private String path() {
        return "/" + Paths.encode(name);
    }

    private static ObjectNode body(Map<String, Optional<String>> settings) {
        ObjectNode body = JSON.createObjectNode();
        new TreeMap<>(settings)
                .forEach((key, value) -> value.ifPresentOrElse(text -> body.put(key, text), () -> body.putNull(key)));
        return body;
    }

    // ---- journal ------------------------------------------------------------------------------------------------

    private static ObjectNode json(Journal journal) {
        ObjectNode json = JSON.createObjectNode()
                .put("job", journal.job())
                .put("host", journal.host())
                .put("token", journal.token())
                .put("started", journal.started().toString())
                .put("heartbeat", journal.heartbeat().toString());
        changes(json.putObject("settings"), journal.settings());
        changes(json.putObject("cluster_settings"), journal.clusterSettings());
        return json;
    }

    private static void changes(ObjectNode json, Map<String, Change> changes) {
        new TreeMap<>(changes)
                .forEach((name, change) -> json.putObject(name)
                        .put("before", change.before().orElse(null))
                        .put("during", change.during()));
    }

    /** The journal in a mapping's {@code _meta}; what cannot be read as one is not ours. */
    static Optional<Journal> journal(JsonNode meta) {
        JsonNode json = meta.path(META_KEY);
        if (!json.has("token")) {
            return Optional.empty();
        }
        return Optional.of(new Journal(
                json.path("job").asText(),
                json.path("host").asText(),
                json.path("token").asText(),
                Instant.parse(json.path("started").asText()),
                Instant.parse(json.path("heartbeat").asText()),
                changes(json.path("settings")),
                changes(json.path("cluster_settings"))));
    }

    private static Map<String, Change> changes(JsonNode json) {
        var changes = new TreeMap<String, Change>();
        json.properties()
                .forEach(entry -> changes.put(
                        entry.getKey(),
                        new Change(
                                Optional.ofNullable(
                                        entry.getValue().path("before").textValue()),
                                entry.getValue().path("during").asText())));
        return changes;
    }
}
