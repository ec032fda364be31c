package io.penstock.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real servers. All tests share the unpacked ones; each ends and removes the clusters it started, also on failure. */
class LocalClusterIT {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final ClusterSpec SMALL = new ClusterSpec(Distribution.DEFAULT, 1, "512m", Map.of());

    @TempDir
    static Path state;

    private final List<LocalCluster> clusters = new ArrayList<>();
    private final List<String> told = new ArrayList<>();

    /** Keeps the unpacked servers until the last test, where they lie apart from the state folder. */
    private static final String KEEPER = "keeper";

    @AfterEach
    void endAll() {
        clusters.forEach(LocalCluster::delete);
    }

    @AfterAll
    static void removeServers() throws IOException {
        Path home = NodeHome.of(state.toAbsolutePath().resolve("node"), Account.forNodes());
        Files.deleteIfExists(home.resolve("clusters").resolve(KEEPER));
        NodeHome.delete(home);
    }

    @Test
    void oneNodeLivesThroughSecondStartCrashStopAndTakenPort() throws Exception {
        LocalCluster cluster = cluster("life");
        assertThat(cluster.status().url()).isEmpty();
        assertThat(cluster.stop()).isFalse();

        ClusterSpec spec =
                new ClusterSpec(Distribution.DEFAULT, 1, "512m", Map.of("thread_pool.write.queue_size", "4"));
        CompletableFuture<ClusterStatus> other = CompletableFuture.supplyAsync(
                () -> LocalCluster.at(state, "life").start(spec, ignored -> {}));
        ClusterStatus first = cluster.start(spec, told::add);
        assertThat(other.get()).isEqualTo(first);
        URI url = first.url().orElseThrow();
        assertThat(first.complete()).isTrue();
        assertThat(cluster.status()).isEqualTo(first);
        assertThat(get(url, "/_nodes?filter_path=nodes.*.version")
                        .findPath("version")
                        .asText())
                .isEqualTo("3.6.0");
        assertThat(get(url, "/_nodes/thread_pool")
                        .findPath("write")
                        .path("queue_size")
                        .asInt())
                .isEqualTo(4);
        assertThat(url.getHost()).isEqualTo("127.0.0.1");
        put(url, "/kept/_doc/1?refresh", "{\"a\":1}");

        assertThat(cluster.start(SMALL, told::add)).isEqualTo(first);
        assertThat(told.getLast()).contains("runs already at " + url);
        assertThatThrownBy(() -> cluster.start(new ClusterSpec(Distribution.DEFAULT, 3, "512m", Map.of()), told::add))
                .isInstanceOfSatisfying(
                        NodeException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(NodeException.Reason.DIFFERENT));

        Path file = state.resolve("node/clusters/life/cluster.json");
        ClusterRecord record = ClusterRecord.read(file).orElseThrow();
        record.with(0, record.nodes().getFirst().with(NodeProcess.NONE)).write(file);
        assertThat(cluster.status())
                .as("found though a killed start did not record it")
                .isEqualTo(first);
        record.write(file);

        cluster.kill(0);
        assertThat(cluster.status().url()).isEmpty();
        ClusterStatus again = cluster.start(SMALL, told::add);
        assertThat(again.url()).contains(url);
        assertThat(again.nodes().getFirst().pid())
                .isNotEqualTo(first.nodes().getFirst().pid());
        assertThat(get(url, "/kept/_count").path("count").asInt()).isEqualTo(1);

        assertThat(cluster.stop()).isTrue();
        assertThat(cluster.stop()).isFalse();
        assertThat(cluster.status().nodes()).noneMatch(NodeStatus::running);
        try (ServerSocket stranger = new ServerSocket()) {
            stranger.setReuseAddress(true);
            stranger.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), url.getPort()));
            ClusterStatus moved = cluster.start(SMALL, told::add);
            assertThat(moved.url().orElseThrow()).isNotEqualTo(url);
            assertThat(get(moved.url().get(), "/kept/_count").path("count").asInt())
                    .isEqualTo(1);
            assertThat(told).anyMatch(line -> line.contains("is taken by another program"));
        }
    }

    @Test
    void stopLeavesAProcessAloneThatOnlyHasTheRecordedNumber() throws Exception {
        Process stranger = new ProcessBuilder("sleep", "600").start();
        try {
            LocalCluster cluster = cluster("stale");
            NodeProcess earlier = new NodeProcess(stranger.pid(), Instant.now().toEpochMilli() - 3_600_000);
            Path home = NodeHome.of(state.toAbsolutePath().resolve("node"), Account.forNodes());
            new ClusterRecord(
                            SMALL, home.toString(), List.of(new ClusterRecord.Node("node-0", 21_999, 21_998, earlier)))
                    .write(state.resolve("node/clusters/stale/cluster.json"));
            assertThat(cluster.status().nodes()).extracting(NodeStatus::running).containsExactly(false);
            assertThat(cluster.stop()).isFalse();
            cluster.kill(0);
            assertThat(stranger.isAlive()).isTrue();
        } finally {
            stranger.destroyForcibly().waitFor();
        }
    }

    @Test
    @Tag("torture")
    void threeNodesFormAClusterAndAKilledOneComesBack() throws Exception {
        LocalCluster cluster = cluster("three");
        ClusterStatus all = cluster.start(new ClusterSpec(Distribution.DEFAULT, 3, "512m", Map.of()), told::add);
        URI url = all.url().orElseThrow();
        assertThat(nodesSeenBy(url)).isEqualTo(3);

        cluster.pause(2);
        assertThat(cluster.status().complete()).isTrue();
        cluster.resume(2);
        cluster.kill(1);
        await("the cluster notices", () -> nodesSeenBy(url) == 2);
        cluster.restart(1);
        assertThat(nodesSeenBy(cluster.status().nodes().get(1).url())).isEqualTo(3);
        assertThat(cluster.status().nodes().get(1).url())
                .isEqualTo(all.nodes().get(1).url());
        assertThat(cluster.status().nodes().get(0)).isEqualTo(all.nodes().get(0));
    }

    @Tag("torture")
    @ParameterizedTest
    @ValueSource(strings = {"2.19.1", "elasticsearch:7.17.29", "elasticsearch:8.19.21"})
    void otherServersStartAndAnswer(String text) throws Exception {
        Distribution distribution = Distribution.parse(text);
        assumeTrue(
                Jdk.find(distribution.javaReleases(), home -> true).isPresent(),
                () -> "no Java " + distribution.javaReleases() + " on this machine");
        LocalCluster cluster = cluster("other");
        ClusterStatus status = cluster.start(new ClusterSpec(distribution, 1, "512m", Map.of()), told::add);
        URI url = status.url().orElseThrow();
        JsonNode node = get(url, "/_nodes/process,jvm");
        assertThat(node.findPath("version").asText()).isEqualTo(distribution.version());
        assertThat(node.findPath("id").asLong())
                .isEqualTo(status.nodes().getFirst().pid());
        put(url, "/kept/_doc/1?refresh", "{\"a\":1}");
        assertThat(cluster.stop()).isTrue();
        assertThat(cluster.status().nodes()).noneMatch(NodeStatus::running);
    }

    @Test
    void aServerThatRefusesItsSettingsIsReportedWithReasonAndLogAndLeavesNothingRunning() {
        LocalCluster cluster = cluster("refusing");
        ClusterSpec wrong = new ClusterSpec(Distribution.DEFAULT, 1, "512m", Map.of("no.such.setting", "1"));
        assertThatThrownBy(() -> cluster.start(wrong, told::add))
                .isInstanceOfSatisfying(
                        NodeException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(NodeException.Reason.NOT_STARTED))
                .hasMessageContaining("unknown setting [no.such.setting]")
                .hasMessageContaining("node.log");
        assertThat(cluster.status().nodes()).noneMatch(NodeStatus::running);
    }

    @Test
    void aFullDiskIsNamed() throws Exception {
        Path disk = Files.createTempDirectory(
                "penstock-full", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        boolean mounted = run("mount", "-t", "tmpfs", "-o", "size=8m,mode=755", "tmpfs", disk.toString()) == 0;
        try {
            assumeTrue(mounted, "only root can mount a small disk to fill");
            assertThatThrownBy(() -> LocalCluster.at(disk).start(SMALL, told::add))
                    .isInstanceOfSatisfying(
                            NodeException.class,
                            refused -> assertThat(refused.reason()).isEqualTo(NodeException.Reason.DISK_FULL))
                    .hasMessageContaining("is full: free some space");
        } finally {
            if (mounted) {
                run("umount", disk.toString());
            }
            NodeHome.delete(disk);
        }
    }

    private LocalCluster cluster(String name) {
        try {
            Path home = NodeHome.of(state.toAbsolutePath().resolve("node"), Account.forNodes());
            Files.createDirectories(home.resolve("clusters").resolve(KEEPER));
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
        LocalCluster cluster = LocalCluster.at(state, name);
        clusters.add(cluster);
        return cluster;
    }

    private static int nodesSeenBy(URI url) {
        return get(url, "/_cluster/health?timeout=1s").path("number_of_nodes").asInt();
    }

    private static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as(what).isNegative();
            NodeProcess.pauseBriefly();
        }
    }

    private static int run(String... words) throws IOException {
        return Command.run(Duration.ofSeconds(10), Path.of("/"), List.of(words)).status();
    }

    private static JsonNode get(URI url, String path) {
        return send(HttpRequest.newBuilder(url.resolve(path)).build());
    }

    private static void put(URI url, String path, String json) {
        send(HttpRequest.newBuilder(url.resolve(path))
                .header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString(json))
                .build());
    }

    private static JsonNode send(HttpRequest request) {
        try {
            HttpResponse<String> reply = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(reply.statusCode()).as(reply.body()).isBetween(200, 299);
            return new JsonMapper().readTree(reply.body());
        } catch (IOException failed) {
            throw new AssertionError("no answer from " + request.uri(), failed);
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
