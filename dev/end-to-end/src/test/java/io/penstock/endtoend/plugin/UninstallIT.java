package io.penstock.endtoend.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.node.ClusterSpec;
import io.penstock.node.ClusterStatus;
import io.penstock.node.Distribution;
import io.penstock.node.LocalCluster;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Row 147. */
@Tag("torture")
class UninstallIT {
    private static final Path PLUGIN = Path.of("..", "..", "faster-bulk", "target", "faster-bulk.zip");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void aNodeWithoutThePluginStartsWithWhatIsLeftOfItsSettings() throws Exception {
        LocalCluster cluster = LocalCluster.at(Path.of("target", "end-to-end"), "uninstall");
        cluster.delete();
        try {
            var with = new ClusterSpec(Distribution.DEFAULT, 1, "512m", Map.of(), List.of(PLUGIN));
            URI url = url(cluster.start(with, ignored -> {}));
            call(
                    url,
                    "PUT",
                    "/_cluster/settings",
                    "{\"persistent\":{\"faster_bulk.enabled\":true,\"faster_bulk.mode\":\"window\"}}");
            call(
                    url,
                    "PUT",
                    "/kept",
                    "{\"settings\":{\"number_of_shards\":3,\"number_of_replicas\":0,\"index.faster_bulk.directed_routing\":true}}");
            String id = call(url, "POST", "/kept/_bulk?refresh=true", "{\"index\":{}}\n{\"n\":1}\n")
                    .at("/items/0/index/_id")
                    .asText();
            assertThat(id).hasSize(22);
            cluster.stop();

            URI without = url(cluster.start(new ClusterSpec(Distribution.DEFAULT, 1, "512m", Map.of()), ignored -> {}));
            assertThat(call(without, "GET", "/_cluster/health?wait_for_status=green&timeout=60s", "")
                            .path("status")
                            .asText())
                    .isEqualTo("green");
            assertThat(call(without, "GET", "/kept/_doc/" + id, "")
                            .path("found")
                            .asBoolean())
                    .isTrue();
            assertThat(call(without, "GET", "/_cluster/settings?flat_settings=true", "")
                            .path("persistent")
                            .has("archived.faster_bulk.enabled"))
                    .isTrue();
        } finally {
            cluster.delete();
        }
    }

    private static URI url(ClusterStatus status) {
        return status.url().orElseThrow();
    }

    private JsonNode call(URI url, String method, String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(url.resolve(path))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }
}
