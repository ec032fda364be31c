package io.penstock.cluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.job.Aliases;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The aliases of a cluster over HTTP. Thread-safe. */
final class ClusterAliases implements Aliases {
    /** Key in a mapping's {@code _meta} with the indices that this one took an alias from. */
    static final String REPLACED_KEY = "penstock_replaced";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration QUICK = Duration.ofSeconds(10);

    private final Cluster cluster;

    ClusterAliases(Cluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public SortedSet<String> behind(String alias) {
        return new TreeSet<>(aliasEntries(alias).keySet());
    }

    private Map<String, ObjectNode> aliasEntries(String alias) {
        Cluster.Answer answer = cluster.call("GET", "/_alias/" + Paths.encode(alias), null, QUICK);
        var entries = new TreeMap<String, ObjectNode>();
        if (answer.status() != 404) {
            cluster.requireOk(answer, "the alias " + alias + " cannot be looked up");
            answer.json()
                    .properties()
                    .forEach(entry -> entries.put(
                            entry.getKey(), entry.getValue().path("aliases").withObjectProperty(alias)));
        }
        return entries;
    }

    @Override
    public Optional<String> move(String alias, SortedSet<String> from, String to) {
        Map<String, ObjectNode> entries = aliasEntries(alias);
        if (!entries.keySet().equals(from)) {
            return Optional.of("it stands for %s now".formatted(entries.keySet()));
        }
        var onto = new TreeMap<String, ObjectNode>();
        onto.put(to, served(entries));
        Cluster.Answer answer =
                cluster.call("POST", "/_aliases", actions(alias, onto, entries.keySet()), Duration.ofMinutes(1));
        if (answer.isOk() && answer.json().path("acknowledged").asBoolean(false)) {
            return Optional.empty();
        }
        return Optional.of(answer.isOk() ? "not every node has confirmed it" : answer.reason());
    }

    /**
     * Filter and routing of what serves until now. Not which of several indices is written to: one alone is, unless
     * somebody says that it is not.
     */
    private static ObjectNode served(Map<String, ObjectNode> entries) {
        ObjectNode properties =
                entries.values().stream().findFirst().map(ObjectNode::deepCopy).orElseGet(JSON::createObjectNode);
        properties.remove("is_write_index");
        return properties;
    }

    /** One request: onto the new indices, and off the others, which must still have it; in that order. */
    private static ObjectNode actions(String alias, Map<String, ObjectNode> onto, Set<String> from) {
        ObjectNode body = JSON.createObjectNode();
        ArrayNode actions = body.putArray("actions");
        onto.forEach((index, properties) -> {
            ObjectNode add = actions.addObject().putObject("add");
            add.setAll(properties);
            add.put("index", index).put("alias", alias);
        });
        for (String index : from) {
            if (!onto.containsKey(index)) {
                actions.addObject()
                        .putObject("remove")
                        .put("index", index)
                        .put("alias", alias)
                        .put("must_exist", true);
            }
        }
        return body;
    }

    @Override
    public String rollback(String alias, String to) {
        return "curl -X POST '%s/_aliases' -H 'Content-Type: application/json' -d '%s'"
                .formatted(cluster.anyNode(), actions(alias, aliasEntries(alias), Set.of(to)));
    }

    @Override
    public void noteReplaced(String index, SortedSet<String> replaced) {
        cluster.putMeta(index, REPLACED_KEY, Optional.of(JSON.valueToTree(replaced)));
    }

    @Override
    public SortedSet<String> replacedBy(String index) {
        Cluster.Answer answer =
                cluster.call("GET", "/" + Paths.encode(index) + "/_mapping?filter_path=*.mappings._meta", null, QUICK);
        var replaced = new TreeSet<String>();
        answer.json()
                .path(index)
                .path("mappings")
                .path("_meta")
                .path(REPLACED_KEY)
                .forEach(name -> replaced.add(name.asText()));
        return replaced;
    }

    @Override
    public Optional<String> deleteUnused(String index) {
        Cluster.Answer answer = cluster.call("GET", "/" + Paths.encode(index) + "/_alias", null, QUICK);
        if (answer.status() == 404) {
            return Optional.empty();
        }
        cluster.requireOk(answer, "the aliases of " + index + " cannot be looked up");
        if (!answer.json().path(index).path("aliases").isEmpty()) {
            return Optional.of("an alias still stands for it");
        }
        Cluster.Answer deleted = cluster.call("DELETE", "/" + Paths.encode(index), null, Duration.ofMinutes(1));
        return deleted.isOk() || deleted.status() == 404 ? Optional.empty() : Optional.of(deleted.reason());
    }
}
