package io.penstock.node;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * One start: brings up the nodes that are missing and waits until the cluster answers.
 *
 * <p>Every step is written to {@code cluster.json} before the next, so that a killed start can be taken up. If it
 * fails, the nodes it started are ended again. Used by one thread that holds the cluster's lock.
 */
final class ClusterStart {
    /** Three nodes on a busy machine of two cores took up to two minutes. */
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** How long to wait for the shards of earlier data; a damaged one never comes, and that is not for us to judge. */
    private static final Duration SHARDS_LIMIT = Duration.ofSeconds(30);

    /** Another program may take a port between our look and the server's bind. */
    private static final int PORT_TRIES = 3;

    private final Path file;
    private final NodeLauncher launcher;
    private final IntFunction<NodeFolder> folders;
    private final Consumer<String> progress;
    private final RandomGenerator random = RandomGenerator.getDefault();
    private final Map<Integer, Launch> launched = new TreeMap<>();
    private ClusterRecord record;

    /** A node under way: its start script, the size of its log before, and how often it was tried. */
    private record Launch(Process script, long logFrom, int tries) {}

    ClusterStart(
            Path file,
            ClusterRecord record,
            NodeLauncher launcher,
            IntFunction<NodeFolder> folders,
            Consumer<String> progress) {
        this.file = file;
        this.record = record;
        this.launcher = launcher;
        this.folders = folders;
        this.progress = progress;
    }

    /**
     * Starts the nodes {@code missing} and waits for the nodes {@code awaited}.
     *
     * @param members how many nodes the cluster must count at least; 0 if no leader can be expected
     */
    ClusterRecord run(Collection<Integer> missing, Collection<Integer> awaited, int members) {
        try {
            // All ports first: each node is told the addresses of the others.
            missing.forEach(this::choosePorts);
            save();
            missing.forEach(index -> launch(index, 1));
            await(awaited, members);
            return record;
        } catch (RuntimeException failed) {
            abandon();
            throw failed;
        }
    }

    private void choosePorts(int index) {
        ClusterRecord.Node node = record.nodes().get(index);
        Set<Integer> others = new HashSet<>();
        record.nodes().forEach(other -> {
            others.add(other.httpPort());
            others.add(other.transportPort());
        });
        int http = portOr(node.httpPort(), others);
        others.add(http);
        int transport = portOr(node.transportPort(), others);
        if (node.httpPort() > 0 && (http != node.httpPort() || transport != node.transportPort())) {
            progress.accept("The port of " + node.name() + " is taken by another program; it moves to " + http);
        }
        record = record.with(index, node.withPorts(http, transport));
    }

    private int portOr(int before, Set<Integer> others) {
        return before > 0 && Ports.isFree(before) ? before : Ports.choose(random, others);
    }

    private void launch(int index, int tries) {
        ClusterRecord.Node node = record.nodes().get(index);
        NodeFolder folder = folders.apply(index);
        progress.accept("Starting " + launcher.spec().distribution().title() + " " + node.name() + " at " + node.url()
                + " on Java " + launcher.jdk().release());
        long logFrom = folder.logBytes();
        Process script = launcher.launch(folder, node, record.nodes());
        launched.put(index, new Launch(script, logFrom, tries));
        record = record.with(index, node.with(NodeProcess.of(script.toHandle())));
        save();
    }

    private void await(Collection<Integer> awaited, int members) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        Set<Integer> waiting = new TreeSet<>(awaited);
        try (NodeProbe probe = new NodeProbe()) {
            while (!waiting.isEmpty()) {
                waiting.removeIf(index -> answers(index, members, probe));
                if (System.nanoTime() - deadline > 0 && !waiting.isEmpty()) {
                    throw notStarted(waiting.iterator().next(), "did not answer within " + LIMIT.toSeconds() + " s");
                }
                NodeProcess.pauseBriefly();
            }
            if (members > 0) {
                awaitShards(record.nodes().get(awaited.iterator().next()).url(), probe);
            }
        }
    }

    private static void awaitShards(URI url, NodeProbe probe) {
        long deadline = System.nanoTime() + SHARDS_LIMIT.toNanos();
        while (!probe.searchable(url) && System.nanoTime() - deadline < 0) {
            NodeProcess.pauseBriefly();
        }
    }

    private boolean answers(int index, int members, NodeProbe probe) {
        ClusterRecord.Node node = record.nodes().get(index);
        // The server says itself which process it is: for some versions the start script is another one.
        List<NodeProcess> candidates = Stream.concat(folders.apply(index).process().stream(), Stream.of(node.process()))
                .filter(NodeProcess::running)
                .toList();
        Optional<NodeProcess> server = candidates.stream()
                .filter(candidate -> probe.is(candidate, node.url()))
                .findFirst();
        if (server.isPresent()) {
            record = record.with(index, node.with(server.get()));
            save();
            return members == 0 || probe.joined(node.url(), members);
        }
        if (candidates.isEmpty() && !scriptRuns(index)) {
            ended(index);
        }
        return false;
    }

    private boolean scriptRuns(int index) {
        Launch launch = launched.get(index);
        return launch != null && launch.script().isAlive();
    }

    /** A node ended before it answered: it was dying when we came, or its port was taken, or it cannot start. */
    private void ended(int index) {
        Launch launch = launched.get(index);
        int tries = launch == null ? 0 : launch.tries();
        boolean portTaken =
                launch != null && folders.apply(index).written(launch.logFrom()).contains("Address already in use");
        if (tries > 0 && !(portTaken && tries < PORT_TRIES)) {
            throw notStarted(index, "ended while it started");
        }
        choosePorts(index);
        launch(index, tries + 1);
    }

    private NodeException notStarted(int index, String what) {
        Launch launch = launched.get(index);
        NodeFolder folder = folders.apply(index);
        String written = launch == null ? "" : folder.written(launch.logFrom());
        if (NodeException.saysDiskFull(written)) {
            return NodeException.diskFull(folder.root(), null);
        }
        // Before it can log, a server only prints.
        Path log = launch == null || folder.logBytes() != launch.logFrom() ? folder.log() : folder.console();
        return new NodeException(
                NodeException.Reason.NOT_STARTED,
                launcher.spec().distribution().title() + " "
                        + record.nodes().get(index).name() + " " + what
                        + NodeLog.reason(written)
                                .map(reason -> " (" + reason + ")")
                                .orElse("") + ": see " + log + ".");
    }

    /** Ends what this start began, so that a failed start leaves nothing behind that nobody asked for. */
    private void abandon() {
        launched.forEach((index, launch) -> {
            folders.apply(index).process().ifPresent(NodeProcess::kill);
            launch.script().descendants().forEach(ProcessHandle::destroyForcibly);
            launch.script().destroyForcibly();
        });
    }

    private void save() {
        record.write(file);
    }
}
