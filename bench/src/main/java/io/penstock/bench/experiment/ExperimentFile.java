package io.penstock.bench.experiment;

import io.penstock.bench.BenchException;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/** Reads experiment files; says of each mistake in which line it is. docs/bench.md describes the format. */
public final class ExperimentFile {
    /** The experiments that come with Penstock, in the order they are listed. */
    public static final List<String> BUILT_IN = List.of(
            "refresh-interval",
            "bulk-defaults",
            "force-merge",
            "replicas",
            "shards",
            "scale-out",
            "glass-ceiling",
            "reindex-tweaks",
            "bulk-size",
            "mapping",
            "small-bulks",
            "soak",
            "envelope",
            "loader",
            "load-cost",
            "reindex",
            "same-twice");

    private static final Set<String> KEYS = Set.of(
            "question",
            "about",
            "base",
            "vary",
            "cells",
            "baseline",
            "measure",
            "rounds",
            "seed",
            "order",
            "until_rejected_percent",
            "published",
            "quick");

    private static final int CELLS_MAX = 500;
    private static final int ROUNDS_MAX = 1_000;

    private final String name;
    private final Map<String, Integer> lines = new HashMap<>();

    private ExperimentFile(String name) {
        this.name = name;
    }

    /**
     * One of {@link #BUILT_IN}, or a file.
     *
     * @param quick with the shorter times that the file has for a first look
     * @throws BenchException if it is not there or wrong
     */
    public static Experiment read(String nameOrFile, boolean quick) {
        if (BUILT_IN.contains(nameOrFile)) {
            return parse(nameOrFile, builtIn(nameOrFile), quick);
        }
        Path file = Path.of(nameOrFile);
        if (!Files.isRegularFile(file)) {
            throw BenchException.usage(
                    "there is no experiment '%s': 'penstock bench list' shows those that come with Penstock, any other is a file"
                            .formatted(nameOrFile));
        }
        try {
            String fileName = String.valueOf(file.getFileName()).replaceAll("\\.ya?ml$", "");
            return parse(fileName, Files.readString(file), quick);
        } catch (IOException e) {
            throw BenchException.usage("the experiment %s cannot be read: %s".formatted(file, e.getMessage()));
        }
    }

    private static String builtIn(String name) {
        try (InputStream in =
                ExperimentFile.class.getResourceAsStream("/io/penstock/bench/experiments/" + name + ".yaml")) {
            if (in == null) {
                throw new IllegalStateException("the experiment " + name + " is not packaged");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What a file says. */
    public static Experiment parse(String name, String text, boolean quick) {
        return new ExperimentFile(name).parsed(text, quick);
    }

    private Experiment parsed(String text, boolean quick) {
        Map<String, Node> file = members(composed(text), "the file");
        known(file, "an experiment", KEYS);
        Map<String, Node> shorter = file.containsKey("quick") ? members(file.get("quick"), "quick") : Map.of();
        known(shorter, "quick", Set.of("rounds", "base", "vary"));
        Map<String, String> base = factors(file.get("base"), "base");
        Map<String, List<String>> vary = varied(file.get("vary"));
        if (quick) {
            base.putAll(factors(shorter.get("base"), "quick.base"));
            vary.putAll(varied(shorter.get("vary")));
        }
        Map<String, Map<String, String>> named = new LinkedHashMap<>();
        if (file.containsKey("cells")) {
            members(file.get("cells"), "cells")
                    .forEach((cell, node) -> named.put(cell, factors(node, "cells." + cell)));
        }
        List<Cell> cells = cells(base, vary, named);
        int rounds = rounds(file.get("rounds"), 5);
        return new Experiment(
                name,
                scalar(file.get("question"), name),
                scalar(file.get("about"), "").strip(),
                cells,
                baselines(file.get("baseline"), cells),
                measures(file.get("measure")),
                quick ? rounds(shorter.get("rounds"), 2) : rounds,
                number(file.get("seed"), 2013),
                shuffled(file.get("order")),
                number(file.get("until_rejected_percent"), 100),
                published(file.get("published")),
                text);
    }

    private void known(Map<String, Node> members, String where, Set<String> keys) {
        members.forEach((key, value) -> {
            if (!keys.contains(key)) {
                throw wrong(
                        value,
                        "'%s' is not known in %s: take %s"
                                .formatted(
                                        key,
                                        where,
                                        String.join(", ", keys.stream().sorted().toList())));
            }
        });
    }

    private Node composed(String text) {
        try {
            Node root = new Yaml(new LoaderOptions()).compose(new StringReader(text));
            if (root == null) {
                throw BenchException.usage("the experiment %s is empty".formatted(name));
            }
            return root;
        } catch (MarkedYAMLException e) {
            int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
            throw BenchException.usage("%s, line %d: %s".formatted(name, line, e.getProblem()));
        } catch (YAMLException e) {
            throw BenchException.usage("%s is no YAML: %s".formatted(name, e.getMessage()));
        }
    }

    // ---- cells --------------------------------------------------------------------------------------------------

    private List<Cell> cells(
            Map<String, String> base, Map<String, List<String>> vary, Map<String, Map<String, String>> named) {
        List<Map<String, String>> combinations = List.of(Map.of());
        for (Map.Entry<String, List<String>> factor : vary.entrySet()) {
            combinations = combinations.stream()
                    .flatMap(before -> factor.getValue().stream().map(value -> with(before, factor.getKey(), value)))
                    .toList();
        }
        List<Cell> cells = new ArrayList<>();
        for (Map<String, String> combination : combinations) {
            if (named.isEmpty()) {
                cells.add(cell(label(combination), "", base, combination));
            }
            named.forEach((label, factors) -> {
                var all = new LinkedHashMap<>(combination);
                all.putAll(factors);
                String group = combination.isEmpty() ? "" : label(combination);
                cells.add(cell(group.isEmpty() ? label : group + ": " + label, group, base, all));
            });
        }
        if (cells.stream().map(Cell::name).distinct().count() < cells.size()) {
            throw BenchException.usage("%s has the same cell twice".formatted(name));
        }
        if (cells.size() > CELLS_MAX) {
            throw BenchException.usage(
                    "%s has %d cells, and %d are the most: vary less".formatted(name, cells.size(), CELLS_MAX));
        }
        return cells;
    }

    private static Map<String, String> with(Map<String, String> factors, String name, String value) {
        var more = new LinkedHashMap<>(factors);
        more.put(name, value);
        return more;
    }

    private Cell cell(String label, String group, Map<String, String> base, Map<String, String> varied) {
        var all = new LinkedHashMap<>(base);
        all.putAll(varied);
        try {
            return new Cell(label, group, varied, Setup.of(all));
        } catch (Setup.WrongFactorException e) {
            throw BenchException.usage("%s, line %d: %s: %s"
                    .formatted(name, lines.getOrDefault(e.factor(), 1), e.factor(), e.getMessage()));
        }
    }

    private static String label(Map<String, String> combination) {
        List<String> words = new ArrayList<>();
        combination.forEach((factor, value) -> words.add(factor.substring(factor.lastIndexOf('.') + 1) + "=" + value));
        return words.isEmpty() ? "as it is" : String.join(", ", words);
    }

    private int rounds(@Nullable Node node, int otherwise) {
        long rounds = number(node, otherwise);
        if (node != null && (rounds < 1 || rounds > ROUNDS_MAX)) {
            throw wrong(node, "rounds: expected a number from 1 to %d".formatted(ROUNDS_MAX));
        }
        return (int) rounds;
    }

    private boolean shuffled(@Nullable Node node) {
        String order = scalar(node, "shuffled");
        if (node != null && !order.equals("shuffled") && !order.equals("as written")) {
            throw wrong(node, "order: '%s' is not possible: take shuffled or as written".formatted(order));
        }
        return order.equals("shuffled");
    }

    /** The first of each group, or the one that has this name there. */
    private Map<String, Cell> baselines(@Nullable Node node, List<Cell> cells) {
        String wanted = scalar(node, "");
        Map<String, Cell> baselines = new LinkedHashMap<>();
        for (Cell cell : cells) {
            String label = cell.group().isEmpty()
                    ? cell.name()
                    : cell.name().substring(cell.group().length() + 2);
            if (wanted.isEmpty() || label.equals(wanted)) {
                baselines.putIfAbsent(cell.group(), cell);
            }
        }
        if (node != null && baselines.isEmpty()) {
            throw wrong(
                    node,
                    "baseline: there is no cell '%s': they are %s"
                            .formatted(
                                    wanted,
                                    String.join(
                                            "; ", cells.stream().map(Cell::name).toList())));
        }
        return baselines;
    }

    private List<Measure> measures(@Nullable Node node) {
        if (node == null) {
            return List.of(Measure.DOCS_PER_SECOND, Measure.P99_MS);
        }
        try {
            return list(node).stream().map(Measure::of).toList();
        } catch (IllegalArgumentException e) {
            throw wrong(node, "measure: " + e.getMessage());
        }
    }

    private List<Published> published(@Nullable Node node) {
        if (node == null) {
            return List.of();
        }
        if (!(node instanceof SequenceNode sequence)) {
            throw wrong(node, "published: expected a list");
        }
        List<Published> all = new ArrayList<>();
        for (Node each : sequence.getValue()) {
            Map<String, Node> one = members(each, "published");
            known(one, "published", Set.of("source", "unit", "values"));
            Map<String, Double> values = new LinkedHashMap<>();
            members(one.get("values"), "published.values").forEach((cell, value) -> {
                try {
                    values.put(cell, Double.valueOf(scalar(value, "")));
                } catch (NumberFormatException e) {
                    throw wrong(value, "published.values.%s: expected a number".formatted(cell));
                }
            });
            all.add(new Published(scalar(one.get("source"), ""), scalar(one.get("unit"), ""), values));
        }
        return all;
    }

    // ---- YAML ---------------------------------------------------------------------------------------------------

    private Map<String, List<String>> varied(@Nullable Node node) {
        Map<String, List<String>> vary = new LinkedHashMap<>();
        if (node != null) {
            members(node, "vary").forEach((factor, values) -> {
                lines.putIfAbsent(factor, line(values));
                List<String> all = list(values);
                if (all.isEmpty()) {
                    throw wrong(values, "vary.%s: expected a list of values".formatted(factor));
                }
                vary.put(factor, all);
            });
        }
        return vary;
    }

    private Map<String, String> factors(@Nullable Node node, String where) {
        Map<String, String> factors = new LinkedHashMap<>();
        if (node != null
                && !(node instanceof ScalarNode empty && empty.getValue().isEmpty())) {
            members(node, where).forEach((factor, value) -> {
                lines.put(factor, line(value));
                factors.put(factor, scalar(value, ""));
            });
        }
        return factors;
    }

    private Map<String, Node> members(@Nullable Node node, String where) {
        if (!(node instanceof MappingNode mapping)) {
            throw node == null
                    ? BenchException.usage("%s: %s is missing".formatted(name, where))
                    : wrong(node, where + ": expected names and values");
        }
        Map<String, Node> members = new LinkedHashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            String key = scalar(tuple.getKeyNode(), "");
            if (members.put(key, tuple.getValueNode()) != null) {
                throw wrong(tuple.getKeyNode(), "%s: '%s' is there twice".formatted(where, key));
            }
        }
        return members;
    }

    private List<String> list(Node node) {
        if (node instanceof SequenceNode sequence) {
            return sequence.getValue().stream().map(each -> scalar(each, "")).toList();
        }
        return List.of(scalar(node, ""));
    }

    private String scalar(@Nullable Node node, String otherwise) {
        if (node == null) {
            return otherwise;
        }
        if (!(node instanceof ScalarNode scalar)) {
            throw wrong(node, "expected a single value");
        }
        return scalar.getValue();
    }

    private long number(@Nullable Node node, long otherwise) {
        if (node == null) {
            return otherwise;
        }
        try {
            return Long.parseLong(scalar(node, ""));
        } catch (NumberFormatException e) {
            throw wrong(node, "'%s' is no whole number".formatted(scalar(node, "")));
        }
    }

    private BenchException wrong(Node node, String message) {
        return BenchException.usage("%s, line %d: %s".formatted(name, line(node), message));
    }

    private static int line(Node node) {
        return node.getStartMark().getLine() + 1;
    }
}
