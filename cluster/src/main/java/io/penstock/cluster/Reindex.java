package io.penstock.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.core.source.Partition;
import io.penstock.job.ServerCopy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Slices copied by the cluster's own {@code _reindex}, one task each. Versions are external, so that a slice can be
 * copied again; ingest pipelines stay out, as the documents have been through theirs.
 */
public final class Reindex implements ServerCopy {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration QUICK = Duration.ofSeconds(30);
    private static final int TASKS_PER_NODE = 4;

    private final Cluster cluster;
    private final IndexSource source;

    public Reindex(Cluster cluster, IndexSource source) {
        this.cluster = cluster;
        this.source = source;
    }

    @Override
    public int atOnce() {
        return TASKS_PER_NODE * cluster.dataNodes().count();
    }

    @Override
    public Optional<String> begin(Partition slice, String into, boolean guarded, double documentsPerSecond) {
        ObjectNode body = JSON.createObjectNode().put("conflicts", "proceed");
        ObjectNode from = source.source(slice);
        var indices = from.putArray("index");
        source.indices().forEach(indices::add);
        from.put("size", source.batchDocuments());
        body.set("source", from);
        body.putObject("dest")
                .put("index", into)
                .put("version_type", "external")
                .put("pipeline", "_none");
        String path = "/_reindex?wait_for_completion=false&requests_per_second=%s%s"
                .formatted(perSecond(documentsPerSecond), guarded ? "&require_alias=true" : "");
        try {
            Cluster.Answer answer = cluster.callOnce("POST", path, body, QUICK);
            cluster.requireOk(answer, "the copy cannot begin");
            return Optional.of(answer.json().path("task").asText());
        } catch (HttpExchange.NoAnswerException e) {
            return Optional.empty();
        }
    }

    private static String perSecond(double documents) {
        return Double.isFinite(documents) ? String.format(Locale.ROOT, "%.3f", documents) : "-1";
    }

    @Override
    public Optional<Progress> progress(String task) {
        Cluster.Answer answer = cluster.call("GET", "/_tasks/" + Paths.encode(task), null, QUICK);
        if (answer.status() == 404) {
            return Optional.empty();
        }
        cluster.requireOk(answer, "a copy in the cluster cannot be looked at");
        boolean ended = answer.json().path("completed").asBoolean();
        JsonNode response = answer.json().path("response");
        JsonNode status = ended && response.isObject()
                ? response
                : answer.json().path("task").path("status");
        Optional<Failure> failure = ended ? failure(answer.json()) : Optional.empty();
        return Optional.of(new Progress(
                ended,
                status.path("total").asLong(),
                status.path("created").asLong(),
                status.path("updated").asLong(),
                status.path("version_conflicts").asLong(),
                status.path("retries").path("bulk").asLong(),
                failure.map(Failure::refused).orElse(false),
                failure.map(Failure::why)));
    }

    private record Failure(boolean refused, String why) {}

    /** A failure with an id is a document that the new index refuses, unless it was only too busy. */
    private static Optional<Failure> failure(JsonNode answer) {
        JsonNode failures = answer.path("response").path("failures");
        for (JsonNode failure : failures) {
            int status = failure.path("status").asInt();
            JsonNode cause = failure.has("cause") ? failure.path("cause") : failure.path("reason");
            return Optional.of(new Failure(
                    failure.has("id") && status / 100 == 4 && status != 429, Replies.reason(cause, cause.toString())));
        }
        JsonNode error = answer.path("error");
        if (!error.isMissingNode()) {
            return Optional.of(new Failure(false, Replies.reason(error, error.toString())));
        }
        String canceled = answer.path("response").path("canceled").asText("");
        return canceled.isEmpty() ? Optional.empty() : Optional.of(new Failure(false, "canceled " + canceled));
    }

    @Override
    public void rethrottle(String task, double documentsPerSecond) {
        cluster.call(
                "POST",
                "/_reindex/%s/_rethrottle?requests_per_second=%s"
                        .formatted(Paths.encode(task), perSecond(documentsPerSecond)),
                null,
                QUICK);
    }

    @Override
    public void cancel(String task) {
        cluster.call("POST", "/_tasks/%s/_cancel".formatted(Paths.encode(task)), null, QUICK);
    }

    @Override
    public List<String> tasks(String into) {
        Cluster.Answer answer = cluster.call(
                "GET",
                "/_tasks?detailed=true&actions=*reindex&filter_path=nodes.*.tasks.*.description,nodes.*.tasks.*.node,nodes.*.tasks.*.id",
                null,
                QUICK);
        cluster.requireOk(answer, "the cluster's tasks cannot be looked at");
        var tasks = new ArrayList<String>();
        for (JsonNode node : answer.json().path("nodes")) {
            for (JsonNode task : node.path("tasks")) {
                if (task.path("description").asText().contains("to [" + into + "]")) {
                    tasks.add(task.path("node").asText() + ":" + task.path("id").asText());
                }
            }
        }
        return tasks;
    }
}
