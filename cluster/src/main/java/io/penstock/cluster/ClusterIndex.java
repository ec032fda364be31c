package io.penstock.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.core.checkpoint.DurabilityBarrier;
import io.penstock.core.delivery.BulkTransport;
import io.penstock.job.TargetException;
import io.penstock.job.TargetIndex;
import java.time.Duration;
import java.util.Optional;

/** An index of a {@link Cluster}, as it was when it was found. */
final class ClusterIndex implements TargetIndex {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration QUICK = Duration.ofSeconds(30);
    private static final Duration SLOW = Duration.ofMinutes(10);
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

    @Override
    public boolean hasAsyncTranslog() {
        return settings.path("translog").path("durability").asText("").equalsIgnoreCase("async");
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
        if (guard.isEmpty()) {
            return;
        }
        Cluster.Answer answer =
                cluster.call("DELETE", "/" + Paths.encode(name) + "/_alias/" + Paths.encode(alias), null, QUICK);
        if (answer.status() != 404) {
            cluster.requireOk(answer, "the alias of this load cannot be removed");
        }
    }

    @Override
    public long countAfterRefresh() {
        Cluster.Answer refreshed = cluster.call("POST", path() + "/_refresh", null, SLOW);
        requireAllShards(refreshed, "the index " + name + " cannot be refreshed");
        Cluster.Answer counted = cluster.call("GET", path() + "/_count", null, SLOW);
        requireAllShards(counted, "the documents of " + name + " cannot be counted");
        return counted.json().path("count").asLong();
    }

    @Override
    public BulkTransport transport(Optional<String> pipeline) {
        boolean piped = pipeline.isPresent()
                || !isNone(settings.path("default_pipeline"))
                || !isNone(settings.path("final_pipeline"));
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
        JsonNode termsAtStart = primaryTerms();
        return new DurabilityBarrier() {
            @Override
            public Durability makeDurable() {
                try {
                    Cluster.Answer answer = cluster.call("POST", path() + "/_flush?wait_if_ongoing=true", null, SLOW);
                    requireAllShards(answer, "the index " + name + " cannot be flushed");
                    if (primaryTerms().equals(termsAtStart)) {
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

    private JsonNode primaryTerms() {
        Cluster.Answer answer = cluster.call(
                "GET",
                "/_cluster/state/metadata" + path() + "?filter_path=metadata.indices.*.primary_terms",
                null,
                QUICK);
        cluster.requireOk(answer, "the shards of " + name + " cannot be looked at");
        return answer.json();
    }

    private String path() {
        return "/" + Paths.encode(name);
    }

    private void requireAllShards(Cluster.Answer answer, String what) {
        cluster.requireOk(answer, what);
        int failed = answer.json().path("_shards").path("failed").asInt(0);
        if (failed > 0) {
            throw new TargetException(
                    TargetException.Reason.UNUSABLE, "%s: %d shards failed".formatted(what, failed), null);
        }
    }

    private static boolean isNone(JsonNode pipeline) {
        return pipeline.isMissingNode() || pipeline.asText().equals("_none");
    }
}
