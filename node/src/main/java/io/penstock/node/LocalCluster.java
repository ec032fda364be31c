package io.penstock.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A search cluster on this machine: one process for each node, bound to the loopback address, without passwords.
 *
 * <p>It lives on when the process that started it ends. What is running is recorded in the state folder, so any later
 * process can look, stop or repair; a process is signalled only if its number and the time it began are the recorded
 * ones. Any thread may call; changes of one cluster are made one after the other, also by different processes.
 *
 * <p>Every method throws {@link NodeException} when it cannot do what it says.
 */
@SuppressWarnings("try") // A lock is held, not used.
public final class LocalCluster {
    /** The name of the cluster that commands use. */
    public static final String DEFAULT_NAME = "default";

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,39}");

    private final Path state;
    private final String name;
    private final Path folder;
    private final Path file;

    private LocalCluster(Path state, String name) {
        this.state = state;
        this.name = name;
        this.folder = state.resolve("clusters").resolve(name);
        this.file = folder.resolve("cluster.json");
    }

    /** The cluster commands use, with its state below this folder. Nothing is touched yet. */
    public static LocalCluster at(Path stateDirectory) {
        return at(stateDirectory, DEFAULT_NAME);
    }

    /** One of several clusters beside each other. The unpacked servers are shared by all below the same folder. */
    public static LocalCluster at(Path stateDirectory, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new NodeException(
                    NodeException.Reason.USAGE,
                    "\"" + name + "\" is no name for a cluster: use up to 40 small letters, digits and hyphens.");
        }
        return new LocalCluster(stateDirectory.toAbsolutePath().normalize().resolve("node"), name);
    }

    /** What the cluster was last started as; empty if it never was. */
    public Optional<ClusterSpec> spec() {
        return ClusterRecord.read(file).map(ClusterRecord::spec);
    }

    /** What runs now. Changes nothing and waits for nobody. */
    public ClusterStatus status() {
        return read().map(this::status).orElse(ClusterStatus.of(List.of()));
    }

    /**
     * Starts the cluster, or those of its nodes that are missing, and returns when all have answered and found each
     * other. Nodes come back with the ports and the data they had; a port that was taken meanwhile is replaced. While
     * it runs, heap and settings stay as they were. Each version and number of nodes has data of its own.
     *
     * @param progress told in a few words what is going on; called by this thread
     */
    public ClusterStatus start(ClusterSpec spec, Consumer<String> progress) {
        try (FolderLock lock = lock(progress)) {
            Optional<ClusterRecord> before = read();
            boolean runs = before.isPresent() && running(before.get()) > 0;
            ClusterRecord record = runs ? sameAs(before.get(), spec, progress) : planned(before, spec);
            List<Integer> all =
                    IntStream.range(0, record.nodes().size()).boxed().toList();
            List<Integer> missing = all.stream()
                    .filter(index -> !record.nodes().get(index).process().running())
                    .toList();
            ClusterRecord after = starting(record, progress).run(missing, all, all.size());
            ClusterStatus status = status(after);
            status.url()
                    .ifPresent(url -> progress.accept(
                            record.spec().title() + (missing.isEmpty() ? " runs already at " : " runs at ") + url));
            return status;
        }
    }

    /** Ends every node that is running, first politely, and keeps the data. False if none was running. */
    public boolean stop() {
        try (FolderLock lock = lock(ignored -> {})) {
            return read().map(LocalCluster::stop).orElse(false);
        }
    }

    /** Kills a node at once (SIGKILL), as a crash would, and waits until it is gone. */
    public void kill(int node) {
        process(node).kill();
    }

    /** Freezes a node (SIGSTOP), as a long garbage collection or a hanging disk would. */
    public void pause(int node) {
        process(node).pause();
    }

    /** Lets a frozen node go on (SIGCONT). */
    public void resume(int node) {
        process(node).resume();
    }

    /**
     * Ends a node if it runs, starts it again, and returns when it answers and has joined the others; it does not wait
     * for a leader when too few nodes are running to choose one.
     */
    public void restart(int node) {
        try (FolderLock lock = lock(ignored -> {})) {
            ClusterRecord record = recorded();
            NodeProcess.end(List.of(nodeOf(record, node).process()));
            int quorum = record.nodes().size() / 2 + 1;
            int members = running(record) + 1 >= quorum ? quorum : 0;
            starting(record, ignored -> {}).run(List.of(node), List.of(node), members);
        }
    }

    /** Stops the cluster and removes all of its files. Unpacked servers stay where other clusters may use them. */
    public void delete() {
        try (FolderLock lock = lock(ignored -> {})) {
            Optional<ClusterRecord> record = read();
            if (record.isEmpty()) {
                return;
            }
            stop(record.get());
            Path home = Path.of(record.get().home());
            NodeHome.delete(clusterFolder(home));
            NodeHome.delete(folder);
            removeUnused(home);
        } catch (IOException failed) {
            throw NodeException.files(folder, failed);
        }
    }

    /** Files apart from the state folder would never be found again by their owner. */
    private void removeUnused(Path home) throws IOException {
        try (FolderLock lock = FolderLock.take(state.resolve("files.lock"), () -> {});
                Stream<Path> clusters = Files.list(home.resolve("clusters"))) {
            if (!home.startsWith(state) && clusters.findAny().isEmpty()) {
                NodeHome.delete(home);
            }
        }
    }

    private ClusterRecord sameAs(ClusterRecord running, ClusterSpec spec, Consumer<String> progress) {
        if (!running.spec().sameShape(spec)) {
            throw new NodeException(
                    NodeException.Reason.DIFFERENT,
                    "The local cluster runs as " + running.spec().title() + " and not as " + spec.title()
                            + ": stop it first (penstock node stop).");
        }
        if (!running.spec().plugins().equals(spec.plugins())) {
            throw new NodeException(
                    NodeException.Reason.DIFFERENT,
                    "The local cluster runs with other plugins: stop it first (penstock node stop).");
        }
        if (!running.spec().equals(spec)) {
            progress.accept("Heap and settings stay as they were started; stop the cluster first to change them");
        }
        return running;
    }

    /** What to start when nothing runs: as asked, with the ports there were. */
    private ClusterRecord planned(Optional<ClusterRecord> before, ClusterSpec spec) {
        Account account = Account.forNodes();
        Path home = before.map(record -> Path.of(record.home()))
                .filter(account::reaches)
                .orElseGet(() -> NodeHome.of(state, account));
        List<ClusterRecord.Node> known = before.map(ClusterRecord::nodes).orElse(List.of());
        List<ClusterRecord.Node> nodes = new ArrayList<>();
        for (int index = 0; index < spec.nodes(); index++) {
            nodes.add(
                    index < known.size()
                            ? known.get(index).with(NodeProcess.NONE)
                            : new ClusterRecord.Node("node-" + index, 0, 0, NodeProcess.NONE));
        }
        return new ClusterRecord(spec, home.toString(), nodes);
    }

    private ClusterStart starting(ClusterRecord record, Consumer<String> progress) {
        Path home = Path.of(record.home());
        Account account = Account.forNodes();
        Distribution distribution = record.spec().distribution();
        Predicate<Path> reachable = account::reaches;
        Jdk jdk = Jdk.find(distribution.javaReleases(), reachable)
                .orElseThrow(() -> new NodeException(
                        NodeException.Reason.NO_JAVA,
                        distribution.title() + " needs Java " + distribution.javaReleases() + ", and none was found"
                                + (account.other() ? " that the account nobody can use" : "")
                                + ": install one, or name it with PENSTOCK_JAVA_HOME."));
        claim(home);
        Path server = new DistributionStore(home.resolve("servers"))
                .provide(distribution, record.spec().plugins(), jdk, progress);
        NodeLauncher launcher = new NodeLauncher(name, record.spec(), server, jdk, account);
        return new ClusterStart(file, record, launcher, index -> nodeFolder(record, index), progress);
    }

    /** Marks the home as in use before anything is put there; see {@link #removeUnused}. */
    private void claim(Path home) {
        try (FolderLock lock = FolderLock.take(state.resolve("files.lock"), () -> {})) {
            Files.createDirectories(clusterFolder(home));
        } catch (IOException failed) {
            throw NodeException.files(home, failed);
        }
    }

    private static boolean stop(ClusterRecord record) {
        List<NodeProcess> running = record.nodes().stream()
                .map(ClusterRecord.Node::process)
                .filter(NodeProcess::running)
                .toList();
        NodeProcess.end(running);
        return !running.isEmpty();
    }

    private ClusterStatus status(ClusterRecord record) {
        return ClusterStatus.of(IntStream.range(0, record.nodes().size())
                .mapToObj(index -> {
                    ClusterRecord.Node node = record.nodes().get(index);
                    return new NodeStatus(
                            node.name(),
                            node.url(),
                            node.process().pid(),
                            record.spec().distribution().version(),
                            node.process().running(),
                            nodeFolder(record, index).log());
                })
                .toList());
    }

    /** What is recorded, and what a start began that was killed before it could record it. */
    private Optional<ClusterRecord> read() {
        return ClusterRecord.read(file).map(record -> {
            ClusterRecord known = record;
            for (int index = 0; index < record.nodes().size(); index++) {
                ClusterRecord.Node node = record.nodes().get(index);
                if (!node.process().running()) {
                    Optional<NodeProcess> found = unrecorded(node, nodeFolder(record, index));
                    known = found.isPresent() ? known.with(index, node.with(found.get())) : known;
                }
            }
            return known;
        });
    }

    /** The number in a node's file may be another program's by now; only the server itself can say that it is ours. */
    private static Optional<NodeProcess> unrecorded(ClusterRecord.Node node, NodeFolder files) {
        Optional<NodeProcess> process = files.process().filter(NodeProcess::running);
        if (process.isEmpty()) {
            return process;
        }
        try (NodeProbe probe = new NodeProbe()) {
            return process.filter(candidate -> probe.is(candidate, node.url()));
        }
    }

    private static int running(ClusterRecord record) {
        return Math.toIntExact(
                record.nodes().stream().filter(node -> node.process().running()).count());
    }

    private ClusterRecord recorded() {
        return read().orElseThrow(() -> new NodeException(
                NodeException.Reason.USAGE, "The local cluster was never started: penstock node start."));
    }

    private NodeProcess process(int node) {
        return nodeOf(recorded(), node).process();
    }

    private static ClusterRecord.Node nodeOf(ClusterRecord record, int node) {
        if (node < 0 || node >= record.nodes().size()) {
            throw new NodeException(
                    NodeException.Reason.USAGE,
                    "There is no node " + node + ": the cluster has "
                            + record.spec().title() + ", counted from 0.");
        }
        return record.nodes().get(node);
    }

    private Path clusterFolder(Path home) {
        return home.resolve("clusters").resolve(name);
    }

    private NodeFolder nodeFolder(ClusterRecord record, int index) {
        String shape =
                record.spec().distribution().folder() + "-x" + record.spec().nodes();
        return new NodeFolder(clusterFolder(Path.of(record.home()))
                .resolve(shape)
                .resolve(record.nodes().get(index).name()));
    }

    private FolderLock lock(Consumer<String> progress) {
        return FolderLock.take(
                state.resolve("clusters").resolve(name + ".lock"),
                () -> progress.accept("Waiting for another process that changes the local cluster"));
    }
}
