package io.penstock.bench.trial;

import io.penstock.bench.BenchException;
import io.penstock.bench.experiment.Cell;
import io.penstock.bench.experiment.Setup;
import io.penstock.cluster.ClusterOptions;
import io.penstock.cluster.Credentials;
import io.penstock.cluster.PlainRequests;
import io.penstock.core.state.DurableFiles;
import io.penstock.core.state.StateLock;
import io.penstock.node.ClusterSpec;
import io.penstock.node.ClusterStatus;
import io.penstock.node.Distribution;
import io.penstock.node.LocalCluster;
import io.penstock.node.NodeStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where an experiment runs: on servers of its own on this machine, which are removed at the end, or on a cluster that
 * is there already. Used by one thread.
 */
public final class Site implements AutoCloseable {
    private final Optional<ClusterOptions> target;
    private final @Nullable LocalCluster local;
    private final Path plugin;
    private final Consumer<String> progress;
    private final Thread undertaker;
    private final @Nullable StateLock lock;
    private Setup.@Nullable Servers running;
    private @Nullable Rest rest;

    private Site(
            Optional<ClusterOptions> target,
            @Nullable LocalCluster local,
            @Nullable StateLock lock,
            Path plugin,
            Consumer<String> progress) {
        this.target = target;
        this.lock = lock;
        this.local = local;
        this.plugin = plugin;
        this.progress = progress;
        this.undertaker = Thread.ofPlatform().unstarted(() -> {
            if (local != null) {
                local.delete();
            }
        });
    }

    /**
     * Servers of our own.
     *
     * @param state below which their files are
     * @param plugin archive of faster-bulk, for experiments that want it
     * @throws io.penstock.core.state.StateException if another experiment uses the same state
     */
    public static Site local(Path state, Path plugin, Consumer<String> progress) {
        Path folder = DurableFiles.privateFolder(state.resolve("bench"));
        StateLock lock = StateLock.take(
                folder, "another experiment, process " + ProcessHandle.current().pid());
        var site = new Site(Optional.empty(), LocalCluster.at(state, "bench"), lock, plugin, progress);
        Runtime.getRuntime().addShutdownHook(site.undertaker);
        return site;
    }

    /** A cluster that is there. Indices whose names begin with {@code penstock-bench} are made and removed there. */
    public static Site target(ClusterOptions options) {
        return new Site(Optional.of(options), null, null, Path.of(""), ignored -> {});
    }

    /**
     * Whether all cells can be measured here.
     *
     * @throws BenchException if they differ in servers and those are given
     */
    public void check(List<Cell> cells) {
        boolean differ =
                cells.stream().map(cell -> cell.setup().servers()).distinct().count() > 1;
        if (target.isPresent() && differ) {
            throw BenchException.usage(
                    "this experiment varies the servers themselves, and those of --target are as they are: run it once for each cluster, without what it varies");
        }
    }

    /** What runs, in words. */
    public String describe() {
        if (target.isEmpty()) {
            return Distribution.DEFAULT.title() + ", servers and loader on this machine";
        }
        try (var http = new PlainRequests(target.get())) {
            String version = new Rest(http, target.get().targets(), List.of())
                    .get("/")
                    .at("/version/number")
                    .asText("unknown version");
            return "%s at %s"
                    .formatted(version, target.get().targets().getFirst().getHost());
        }
    }

    /** Whether they run already. */
    boolean has(Setup.Servers wanted) {
        return target.isPresent() || (rest != null && wanted.equals(running));
    }

    /**
     * The servers that a cell wants; others are stopped first, and their data is gone. A cluster that was there before
     * is taken as it is.
     */
    Rest servers(Setup.Servers wanted) {
        if (rest != null && has(wanted)) {
            return rest;
        }
        release();
        rest = target.isPresent() ? given(target.get()) : started(wanted);
        running = wanted;
        return rest;
    }

    private static Rest given(ClusterOptions options) {
        return new Rest(new PlainRequests(options), options.targets(), List.of());
    }

    private Rest started(Setup.Servers wanted) {
        if (wanted.plugin() && !Files.isReadable(plugin)) {
            throw BenchException.usage(
                    "the plugin is not built: './penstock node start --plugin' builds it (then stop that node again)");
        }
        LocalCluster cluster = local();
        cluster.delete();
        ClusterStatus status = cluster.start(
                new ClusterSpec(
                        Distribution.DEFAULT,
                        wanted.nodes(),
                        wanted.heap(),
                        wanted.settings(),
                        wanted.plugin() ? List.of(plugin) : List.of()),
                progress);
        List<NodeStatus> nodes = status.nodes();
        var options = new ClusterOptions(
                nodes.stream().map(NodeStatus::url).toList(),
                Credentials.none(),
                ClusterOptions.Tls.DEFAULT,
                false,
                Duration.ofMinutes(5));
        return new Rest(
                new PlainRequests(options),
                options.targets(),
                nodes.stream().map(NodeStatus::pid).toList());
    }

    private LocalCluster local() {
        if (local == null) {
            throw new IllegalStateException("there are no servers of our own");
        }
        return local;
    }

    private void release() {
        if (rest != null) {
            rest.http().close();
            rest = null;
        }
    }

    /** Removes servers of our own with everything they hold. */
    @Override
    public void close() {
        release();
        if (local != null) {
            local.delete();
            Runtime.getRuntime().removeShutdownHook(undertaker);
        }
        if (lock != null) {
            lock.close();
        }
    }
}
