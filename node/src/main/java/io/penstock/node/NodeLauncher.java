package io.penstock.node;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Starts the processes of one cluster's nodes, each in a session of its own so that it outlives us. */
record NodeLauncher(String cluster, ClusterSpec spec, Path server, Jdk jdk, Account account) {
    /**
     * Writes the files of a node and starts it.
     *
     * @param node the one of {@code all} to start
     * @return the start script; for most versions it becomes the server, for others it ends when the server is up
     */
    Process launch(NodeFolder folder, ClusterRecord.Node node, List<ClusterRecord.Node> all) {
        try {
            Files.createDirectories(folder.root());
            folder.prepare(spec.distribution(), server, settings(node, all), account);
            folder.clearConsole();
            ProcessBuilder builder = new ProcessBuilder(command(folder))
                    .directory(server.toFile())
                    .redirectErrorStream(true)
                    .redirectInput(new File("/dev/null"))
                    .redirectOutput(folder.console().toFile());
            builder.environment().clear();
            builder.environment().putAll(folder.environment(spec.distribution(), jdk, spec.heap()));
            return builder.start();
        } catch (IOException failed) {
            throw NodeException.files(folder.root(), failed);
        }
    }

    private List<String> command(NodeFolder folder) {
        List<String> words = new ArrayList<>();
        words.add(Command.onPath("setsid").map(Path::toString).orElse("nohup"));
        words.addAll(account.prefix());
        words.add(server.resolve("bin/" + spec.distribution().flavour().artifact())
                .toString());
        if (Files.isDirectory(server.resolve("lib/tools/server-cli"))) {
            // Here the start script is a second JVM, which would stay as the server's parent and end with it.
            words.add("-d");
        }
        words.addAll(List.of("-p", folder.pidFile().toString()));
        return words;
    }

    /** The settings of one node, those of the user among them. */
    Map<String, String> settings(ClusterRecord.Node node, List<ClusterRecord.Node> all) {
        Map<String, String> settings = new TreeMap<>(spec.settings());
        settings.put("cluster.name", "penstock-" + cluster);
        settings.put("node.name", node.name());
        settings.put("network.host", "127.0.0.1");
        settings.put("http.port", Integer.toString(node.httpPort()));
        settings.put("transport.port", Integer.toString(node.transportPort()));
        if (all.size() == 1) {
            settings.put("discovery.type", "single-node");
        } else {
            settings.put(
                    "discovery.seed_hosts",
                    all.stream()
                            .map(other -> "127.0.0.1:" + other.transportPort())
                            .collect(Collectors.joining(",")));
            // One alone founds the cluster: with more, a part of them could found a second one.
            settings.put(founders(), all.getFirst().name());
        }
        if (spec.distribution().flavour() == Flavour.ELASTICSEARCH) {
            whereInstalled(settings, "x-pack-security", "xpack.security.enabled");
            whereInstalled(settings, "x-pack-ml", "xpack.ml.enabled");
            whereInstalled(settings, "ingest-geoip", "ingest.geoip.downloader.enabled");
        }
        return settings;
    }

    /** Switches off what a server on the loopback address does not need; without the module the setting is an error. */
    private void whereInstalled(Map<String, String> settings, String module, String setting) {
        if (Files.isDirectory(server.resolve("modules").resolve(module))) {
            settings.putIfAbsent(setting, "false");
        }
    }

    private String founders() {
        boolean renamed = spec.distribution().flavour() == Flavour.OPENSEARCH
                && spec.distribution().major() >= 2;
        return renamed ? "cluster.initial_cluster_manager_nodes" : "cluster.initial_master_nodes";
    }
}
