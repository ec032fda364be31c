package io.penstock.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node is killed while an index is copied, with a copy of every shard elsewhere; it comes back later. */
@Tag("torture")
@RealNode(nodes = 3)
class ReindexOnThreeNodesIT {
    private static final PlantedDocuments PLANTED = PlantedDocuments.of(40_000, 11);

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNodeThatDiesCostsNoDocument(boolean inside, RealCluster cluster) throws Exception {
        Path file = PLANTED.write(folder.resolve("in.ndjson"));
        String targets = cluster.urls().stream().map(URI::toString).collect(Collectors.joining(","));
        cluster.put(
                "/origin",
                "{\"settings\":{\"number_of_shards\":3,\"number_of_replicas\":1},\"mappings\":%s}"
                        .formatted(PlantedDocuments.MAPPING));
        cluster.put("/origin/_alias/served", "");
        try (var loader = new Program(Files.createDirectory(folder.resolve("loader")));
                var program = new Program(Files.createDirectory(folder.resolve("program")))) {
            loader.load(cluster.url(), file, "origin").end();
            assertThat(cluster.count("origin")).isEqualTo(PLANTED.goodCount());
            var words = new ArrayList<>(
                    List.of("reindex", "served", "-i", "copy", "-t", targets, "--max-docs-rate", "4000"));
            if (!inside) {
                words.addAll(List.of("--max-rate", "1gb/s"));
            }
            Program.Running running = program.start(words.toArray(String[]::new));
            await().atMost(Duration.ofSeconds(60)).until(() -> copied(cluster) > 2_000 || !running.isAlive());
            cluster.kill(2);
            running.endsWithin(Duration.ofSeconds(5));
            cluster.restart(2);
            Program.Ended ended = running.end(Duration.ofMinutes(4));
            assertThat(ended.exit()).as(ended.err()).isZero();
            assertThat(ended.err()).doesNotContain("a bug in Penstock");
            assertThat(cluster.count("copy")).isEqualTo(PLANTED.goodCount());
            assertThat(cluster.get("/_alias/served").fieldNames()).toIterable().containsExactly("copy");
        } finally {
            cluster.call("DELETE", "/origin", "");
            cluster.call("DELETE", "/copy", "");
        }
    }

    private static long copied(RealCluster cluster) {
        JsonNode stats = cluster.call("GET", "/copy/_stats/indexing", "").json();
        return stats.at("/_all/primaries/indexing/index_total").asLong();
    }
}
