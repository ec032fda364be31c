package io.penstock.feed;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;

/**
 * What is fed from where to where; {@code docs/feed.md} describes the file.
 *
 * @param database where changes come from
 * @param kafka where documents go
 * @param documents what a document is
 * @param touches for each further table, which documents a changed row is part of
 */
public record FeedConfig(Database database, Kafka kafka, Documents documents, Map<String, Touch> touches) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_$]{1,64}");

    /** A table that is a part of documents: the column with the document's id, or a SELECT that gives ids. */
    public sealed interface Touch {
        record Column(String name) implements Touch {}

        /**
         * @param sql with a question mark for each parameter
         * @param columns the changed row's columns that are the parameters
         */
        record Query(String sql, List<String> columns) implements Touch {}
    }

    /**
     * The database.
     *
     * @param kind {@code mariadb} or {@code mysql}
     * @param serverId the number that the feed has among the database's replicas
     */
    public record Database(
            String kind, String host, int port, String name, String user, String password, long serverId) {
        @Override
        public String toString() {
            return "%s://%s:%d/%s".formatted(kind, host, port, name);
        }
    }

    /**
     * The topic.
     *
     * @param partitions of a topic that is made
     * @param replication of a topic that is made
     * @param config properties for the Kafka client
     */
    public record Kafka(String brokers, String topic, int partitions, int replication, Map<String, String> config) {}

    /**
     * A document.
     *
     * @param table the table with a row for each document
     * @param id its column with the document's id
     * @param select gives documents, with a column {@code _id}; {@code :ids} stands for the ids wanted
     */
    public record Documents(String table, String id, String select) {}

    public FeedConfig {
        touches = Map.copyOf(touches);
    }

    /** All tables that are watched. */
    public List<String> tables() {
        var tables = new ArrayList<String>();
        tables.add(documents.table());
        touches.keySet().stream().sorted().forEach(tables::add);
        return tables;
    }

    /**
     * Reads a file.
     *
     * @throws FeedException with CONFIG, naming line and key
     */
    public static FeedConfig read(Path file) {
        try {
            return parse(Files.readString(file), file);
        } catch (IOException e) {
            throw new FeedException(
                    FeedException.Reason.CONFIG,
                    "%s cannot be read: name a file that describes the feed".formatted(file),
                    e);
        }
    }

    static FeedConfig parse(String text, Path file) {
        Map<String, Object> values;
        Map<String, Integer> lines = new LinkedHashMap<>();
        try {
            Node root = new Yaml().compose(new StringReader(text));
            if (root instanceof MappingNode mapping) {
                lines(mapping, "", lines);
            }
            Object loaded = new Yaml(new SafeConstructor(new LoaderOptions())).load(text);
            values = object(loaded);
        } catch (MarkedYAMLException e) {
            throw new FeedException(
                    FeedException.Reason.CONFIG,
                    "%s, line %d: %s"
                            .formatted(
                                    file,
                                    e.getProblemMark() == null
                                            ? 1
                                            : e.getProblemMark().getLine() + 1,
                                    e.getProblem()),
                    e);
        }
        return new Parser(file, lines).parse(values);
    }

    private static void lines(MappingNode node, String prefix, Map<String, Integer> lines) {
        for (NodeTuple tuple : node.getValue()) {
            if (tuple.getKeyNode() instanceof ScalarNode key) {
                String path = prefix + key.getValue();
                lines.put(path, key.getStartMark().getLine() + 1);
                if (tuple.getValueNode() instanceof MappingNode inner) {
                    lines(inner, path + ".", lines);
                }
            }
        }
    }

    private static Map<String, Object> object(@Nullable Object value) {
        var object = new LinkedHashMap<String, Object>();
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, inner) -> {
                if (inner != null) {
                    object.put(String.valueOf(key), inner);
                }
            });
        }
        return object;
    }

    /** Goes through the keys and says where one is wrong. */
    private record Parser(Path file, Map<String, Integer> lines) {
        private static final Pattern PARAMETER = Pattern.compile(":([A-Za-z_][A-Za-z0-9_$]*)");

        FeedConfig parse(Map<String, Object> root) {
            known(root, "", Set.of("database", "kafka", "documents", "touches"));
            return new FeedConfig(
                    database(section(root, "database")),
                    kafka(section(root, "kafka")),
                    documents(section(root, "documents")),
                    touches(object(root.get("touches"))));
        }

        private Database database(Map<String, Object> values) {
            known(values, "database.", Set.of("kind", "host", "port", "name", "user", "password", "server-id"));
            String kind = text(values, "kind", "mariadb");
            if (!kind.equals("mariadb") && !kind.equals("mysql")) {
                throw wrong("database.kind", "mariadb or mysql");
            }
            return new Database(
                    kind,
                    text(values, "host", "127.0.0.1"),
                    (int) number(values, "database.", "port", 3306, 1, 65535),
                    name("database.name", required(values, "database.", "name")),
                    required(values, "database.", "user"),
                    secret(text(values, "password", "")),
                    number(values, "database.", "server-id", 54_000, 1, 4_294_967_295L));
        }

        /** As other secrets of Penstock: {@code @FILE}, or from the environment when it is not in the file. */
        private String secret(String given) {
            if (given.isEmpty()) {
                String environment = System.getenv("PENSTOCK_DATABASE_PASSWORD");
                return environment == null ? "" : environment;
            }
            if (!given.startsWith("@")) {
                return given;
            }
            try {
                return Files.readString(Path.of(given.substring(1))).strip();
            } catch (IOException e) {
                throw wrong("database.password", "@FILE with a file that can be read");
            }
        }

        private Kafka kafka(Map<String, Object> values) {
            known(values, "kafka.", Set.of("brokers", "topic", "partitions", "replication", "config"));
            var config = new LinkedHashMap<String, String>();
            object(values.get("config")).forEach((key, value) -> config.put(key, value.toString()));
            return new Kafka(
                    required(values, "kafka.", "brokers"),
                    required(values, "kafka.", "topic"),
                    (int) number(values, "kafka.", "partitions", 4, 1, 10_000),
                    (int) number(values, "kafka.", "replication", 1, 1, 100),
                    Map.copyOf(config));
        }

        private Documents documents(Map<String, Object> values) {
            known(values, "documents.", Set.of("table", "id", "select"));
            String select = required(values, "documents.", "select").strip();
            if (!select.contains(":ids")) {
                throw wrong("documents.select", "a SELECT with IN (:ids)");
            }
            return new Documents(
                    name("documents.table", required(values, "documents.", "table")),
                    name("documents.id", text(values, "id", "id")),
                    select);
        }

        private Map<String, Touch> touches(Map<String, Object> values) {
            var touches = new LinkedHashMap<String, Touch>();
            values.forEach((table, value) -> {
                String key = "touches." + table;
                String given = value.toString().strip();
                touches.put(
                        name(key, table), given.contains(" ") ? query(key, given) : new Touch.Column(name(key, given)));
            });
            return touches;
        }

        private Touch query(String key, String select) {
            Matcher parameter = PARAMETER.matcher(select);
            var columns = new ArrayList<String>();
            while (parameter.find()) {
                columns.add(parameter.group(1));
            }
            if (columns.isEmpty()) {
                throw wrong(key, "a column with the document's id, or a SELECT of ids with :column of the changed row");
            }
            return new Touch.Query(parameter.replaceAll("?"), List.copyOf(columns));
        }

        private void known(Map<String, Object> values, String prefix, Set<String> keys) {
            for (String key : values.keySet()) {
                if (!keys.contains(key)) {
                    throw new FeedException(
                            FeedException.Reason.CONFIG,
                            "%s: there is no key %s; there are %s"
                                    .formatted(
                                            at(prefix + key),
                                            prefix + key,
                                            String.join(
                                                    ", ", keys.stream().sorted().toList())),
                            null);
                }
            }
        }

        private Map<String, Object> section(Map<String, Object> root, String key) {
            if (!(root.get(key) instanceof Map<?, ?>)) {
                throw wrong(key, "a section with keys of its own");
            }
            return object(root.get(key));
        }

        private String required(Map<String, Object> values, String prefix, String key) {
            Object value = values.get(key);
            if (value == null || value.toString().isBlank()) {
                throw wrong(prefix + key, "a value");
            }
            return value.toString();
        }

        private static String text(Map<String, Object> values, String key, String otherwise) {
            Object value = values.get(key);
            return value == null ? otherwise : value.toString();
        }

        private long number(Map<String, Object> values, String prefix, String key, long otherwise, long min, long max) {
            Object value = values.get(key);
            if (value == null) {
                return otherwise;
            }
            if (value instanceof Number number && number.longValue() >= min && number.longValue() <= max) {
                return number.longValue();
            }
            throw wrong(prefix + key, "a number from %d to %d".formatted(min, max));
        }

        private String name(String key, String given) {
            if (!NAME.matcher(given).matches()) {
                throw wrong(key, "a name of letters, digits, _ and $");
            }
            return given;
        }

        private FeedException wrong(String key, String expected) {
            return new FeedException(
                    FeedException.Reason.CONFIG, "%s: %s has to be %s".formatted(at(key), key, expected), null);
        }

        private String at(String key) {
            Integer line = lines.get(key);
            return line == null ? file.toString() : file + ", line " + line;
        }
    }
}
