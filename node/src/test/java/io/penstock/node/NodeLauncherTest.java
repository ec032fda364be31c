package io.penstock.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeLauncherTest {
    private static final ClusterRecord.Node FIRST = new ClusterRecord.Node("node-0", 21_000, 21_001, NodeProcess.NONE);
    private static final ClusterRecord.Node SECOND = new ClusterRecord.Node("node-1", 21_002, 21_003, NodeProcess.NONE);

    @TempDir
    Path server;

    @Test
    void oneNodeIsAClusterByItself() {
        Map<String, String> settings = settings("3.6.0", Map.of("node.processors", "1"), List.of(FIRST));

        assertThat(settings)
                .containsEntry("discovery.type", "single-node")
                .containsEntry("network.host", "127.0.0.1")
                .containsEntry("http.port", "21000")
                .containsEntry("transport.port", "21001")
                .containsEntry("node.processors", "1")
                .doesNotContainKey("discovery.seed_hosts");
    }

    @Test
    void severalNodesFindEachOtherAndTheFirstAloneFounds() {
        assertThat(settings("3.6.0", Map.of(), List.of(FIRST, SECOND)))
                .containsEntry("discovery.seed_hosts", "127.0.0.1:21001,127.0.0.1:21003")
                .containsEntry("cluster.initial_cluster_manager_nodes", "node-0");
        assertThat(settings("elasticsearch:8.19.21", Map.of(), List.of(FIRST, SECOND)))
                .containsEntry("cluster.initial_master_nodes", "node-0");
    }

    @Test
    void switchesOffOnlyTheModulesThatAreThere() throws IOException {
        Files.createDirectories(server.resolve("modules/x-pack-security"));

        assertThat(settings("elasticsearch:8.19.21", Map.of(), List.of(FIRST)))
                .containsEntry("xpack.security.enabled", "false")
                .doesNotContainKeys("xpack.ml.enabled", "ingest.geoip.downloader.enabled");
        assertThat(settings("3.6.0", Map.of(), List.of(FIRST))).doesNotContainKey("xpack.security.enabled");
    }

    @Test
    void writesValuesSoThatTheyStayValues() {
        assertThat(NodeFolder.yaml(Map.of("a.b", "x\"y\\z: #1"))).isEqualTo("a.b: \"x\\\"y\\\\z: #1\"\n");
    }

    @Test
    void keepsTheOptionsOfTheJvmButNotWhatWritesIntoTheSharedServer() {
        String options = new NodeFolder(Path.of("/n")).jvmOptions("""
                        -Xms1g
                        -Xmx1g
                        11-:-XX:+UseG1GC
                        -XX:HeapDumpPath=data
                        -XX:ErrorFile=logs/hs_err_pid%p.log
                        9-:-Xlog:gc*,gc+age=trace,safepoint:file=logs/gc.log:utctime,pid,tags:filecount=32,filesize=64m
                        8:-Xloggc:logs/gc.log
                        """);

        assertThat(options).isEqualTo("""
                        11-:-XX:+UseG1GC
                        -XX:HeapDumpPath=/n/data
                        -XX:ErrorFile=/n/logs/hs_err_pid%p.log
                        """);
    }

    private Map<String, String> settings(String version, Map<String, String> own, List<ClusterRecord.Node> nodes) {
        ClusterSpec spec = new ClusterSpec(Distribution.parse(version), nodes.size(), "1g", own);
        Jdk jdk = new Jdk(Path.of("/jdk"), 21);
        return new NodeLauncher("default", spec, server, jdk, new Account(false, 1, 1)).settings(FIRST, nodes);
    }
}
