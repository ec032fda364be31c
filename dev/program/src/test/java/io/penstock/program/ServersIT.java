package io.penstock.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.node.ClusterSpec;
import io.penstock.node.Distribution;
import io.penstock.node.NodeException;
import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same loads on every server version that is supported, and into what is no plain index. */
@RealNode
class ServersIT {
    private static final PlantedDocuments PLANTED = PlantedDocuments.of(20_000, 4);
    private static final Path SAMPLE = Path.of("..", "samples", "apache_logs.gz");
    private static final int SAMPLE_GOOD = 9_999;

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void write() {
        file = PLANTED.write(folder.resolve("in.ndjson"));
    }

    @Test
    void openSearch3(RealCluster cluster) throws Exception {
        loadsWithExactCounts(cluster);
        servesWithItsOwnSettings(cluster);
    }

    @ParameterizedTest
    @ValueSource(strings = {"opensearch:2.19.1", "elasticsearch:8.19.21", "elasticsearch:7.17.29"})
    @Tag("torture")
    void otherServers(String version, RealCluster openSearch3) throws Exception {
        try (RealCluster cluster = start(version)) {
            loadsWithExactCounts(cluster);
            servesWithItsOwnSettings(cluster);
            copiesToAnother(cluster, openSearch3);
        }
    }

    /** Under the envelope, merged, and behind an alias. */
    private void servesWithItsOwnSettings(RealCluster cluster) throws Exception {
        cluster.put(
                "/served-1",
                "{\"settings\":{\"refresh_interval\":\"7s\",\"number_of_replicas\":0,\"number_of_shards\":2},\"mappings\":%s}"
                        .formatted(PlantedDocuments.MAPPING));
        String before = cluster.text("/served-1/_settings?flat_settings=true");
        try (var program = new Program(Files.createDirectory(folder.resolve("served")))) {
            Program.Ended ended = program.enveloped(
                            cluster.url(),
                            file,
                            "served-1",
                            "--alias",
                            "served",
                            "--force-merge",
                            "1",
                            "--verify",
                            "sample")
                    .end();
            new Proof(cluster, PLANTED, "served-1").complete(program, ended);
            assertThat(cluster.text("/served-1/_settings?flat_settings=true")).isEqualTo(before);
            assertThat(cluster.get("/_alias/served").fieldNames()).toIterable().containsExactly("served-1");
        } finally {
            cluster.call("DELETE", "/served-1", "");
        }
    }

    /** Both ways of reindexing: inside the older cluster, and from it into a newer one of another kind. */
    private void copiesToAnother(RealCluster from, RealCluster to) throws Exception {
        try (var program = new Program(Files.createDirectory(folder.resolve("source")));
                var inside = new Program(Files.createDirectory(folder.resolve("inside")));
                var across = new Program(Files.createDirectory(folder.resolve("across")))) {
            load(program, from, "origin").end();
            long documents = from.count("origin");
            assertThat(documents).isEqualTo(PLANTED.goodCount());
            Program.Ended copied = inside.start(
                            "reindex", "origin", "-i", "copy", "-t", from.url().toString(), "--verify", "sample")
                    .end();
            assertThat(copied.exit()).as(copied.err()).isZero();
            assertThat(from.count("copy")).isEqualTo(documents);
            Program.Ended crossed = across.start(
                            "reindex",
                            "origin",
                            "-i",
                            "across",
                            "--source-url",
                            from.url().toString(),
                            "-t",
                            to.url().toString(),
                            "--verify",
                            "sample")
                    .end();
            assertThat(crossed.exit()).as(crossed.err()).isZero();
            assertThat(crossed.err()).contains("sent by Penstock");
            assertThat(to.count("across")).isEqualTo(documents);
        } finally {
            to.call("DELETE", "/across", "");
        }
    }

    private static RealCluster start(String version) {
        try {
            return RealCluster.start("version", new ClusterSpec(Distribution.parse(version), 1, "512m", Map.of()));
        } catch (NodeException e) {
            assumeTrue(e.reason() != NodeException.Reason.NO_JAVA, String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private void loadsWithExactCounts(RealCluster cluster) throws Exception {
        try (var plain = new Program(Files.createDirectory(folder.resolve("plain")));
                var create = new Program(Files.createDirectory(folder.resolve("create")));
                var versioned = new Program(Files.createDirectory(folder.resolve("versioned")))) {
            new Proof(cluster, PLANTED, "plain")
                    .complete(plain, load(plain, cluster, "plain").end());

            String[] creating = {"--op", "create", "--id-field", "key"};
            new Proof(cluster, PLANTED, "create")
                    .complete(create, load(create, cluster, "create", creating).end());

            String[] versions = {"--id-field", "key", "--version-field", "n"};
            Proof proof = new Proof(cluster, PLANTED, "versioned");
            proof.complete(
                    versioned, load(versioned, cluster, "versioned", versions).end());
            String[] again = {"--id-field", "key", "--version-field", "n", "--restart"};
            Program.Ended second = load(versioned, cluster, "versioned", again).end();
            assertThat(second.exit()).as(second.err()).isEqualTo(4);
            Proof.equation(second);
            assertThat(second.documents("indexed") + second.documents("superseded"))
                    .as("nothing old replaces anything: %s", second.out())
                    .isEqualTo(PLANTED.goodCount());
            assertThat(proof.observed().cardinality()).isEqualTo(PLANTED.goodCount());
            assertThat(cluster.writes("versioned")).as("writes").isEqualTo(PLANTED.goodCount());
        } finally {
            cluster.call("DELETE", "/plain,create,versioned", "");
        }
    }

    @Test
    void aliasIsWrittenThroughAndKept(RealCluster cluster) throws Exception {
        cluster.put(
                "/behind-1",
                "{\"mappings\":%s,\"aliases\":{\"front\":{\"is_write_index\":true}}}"
                        .formatted(PlantedDocuments.MAPPING));
        try (var program = new Program(folder)) {
            Program.Ended ended = load(program, cluster, "front").end();
            new Proof(cluster, PLANTED, "behind-1").complete(program, ended);
            assertThat(cluster.get("/_alias/front").size()).isEqualTo(1);
            assertThat(cluster.get("/behind-1/_alias").at("/behind-1/aliases").size())
                    .as("the alias of the load is gone")
                    .isEqualTo(1);
        } finally {
            cluster.call("DELETE", "/behind-1", "");
        }
    }

    @Test
    void dataStreamTakesTheSample(RealCluster cluster) throws Exception {
        cluster.put("/_index_template/streams", "{\"index_patterns\":[\"stream\"],\"data_stream\":{}}");
        try (var program = new Program(folder)) {
            Program.Ended ended = program.load(cluster.url(), SAMPLE, "stream", "--op", "create")
                    .end();
            assertThat(ended.exit()).as(ended.err()).isEqualTo(4);
            assertThat(ended.documents("indexed")).isEqualTo(SAMPLE_GOOD);
            assertThat(ended.documents("deadLettered")).isEqualTo(1);
            assertThat(cluster.count("stream")).isEqualTo(SAMPLE_GOOD);
            Program.Ended again = program.load(cluster.url(), SAMPLE, "stream", "--op", "create", "--restart")
                    .end();
            assertThat(again.exit()).as(again.err()).isEqualTo(4);
            assertThat(cluster.count("stream")).isEqualTo(SAMPLE_GOOD);
        } finally {
            cluster.call("DELETE", "/_data_stream/stream", "");
            cluster.call("DELETE", "/_index_template/streams", "");
        }
    }

    private Program.Running load(Program program, RealCluster cluster, String index, String... more)
            throws IOException {
        Path mapping = Files.writeString(folder.resolve("mapping.json"), PlantedDocuments.MAPPING);
        return program.load(
                cluster.url(),
                file,
                index,
                java.util.stream.Stream.concat(
                                java.util.stream.Stream.of("--mapping", mapping.toString(), "--replicas", "0"),
                                java.util.stream.Stream.of(more))
                        .toArray(String[]::new));
    }
}
