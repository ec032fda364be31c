package io.penstock.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.node.ClusterSpec;
import io.penstock.node.Distribution;
import io.penstock.realservers.RealCluster;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Row 147. */
@Tag("torture")
class UninstallIT {
    private static final ClusterSpec WITHOUT = new ClusterSpec(Distribution.DEFAULT, 1, "512m", Map.of());
    private static final ClusterSpec WITH =
            new ClusterSpec(Distribution.DEFAULT, 1, "512m", Map.of(), List.of(RealCluster.PLUGIN));

    @Test
    void aNodeWithoutThePluginStartsWithWhatIsLeftOfItsSettings() {
        RealCluster cluster = RealCluster.start("uninstall", WITH);
        try {
            cluster.settings(Map.of("faster_bulk.enabled", true, "faster_bulk.mode", "window"));
            cluster.put(
                    "/kept",
                    "{\"settings\":{\"number_of_shards\":3,\"number_of_replicas\":0,\"index.faster_bulk.directed_routing\":true}}");
            String id = cluster.post("/kept/_bulk?refresh=true", "{\"index\":{}}\n{\"n\":1}\n")
                    .at("/items/0/index/_id")
                    .asText();
            assertThat(id).hasSize(22);

            cluster = cluster.startAgainAs(WITHOUT);

            assertThat(cluster.get("/_cluster/health?wait_for_status=green&timeout=60s")
                            .path("status")
                            .asText())
                    .isEqualTo("green");
            assertThat(cluster.get("/kept/_doc/" + id).path("found").asBoolean())
                    .isTrue();
            assertThat(cluster.get("/_cluster/settings?flat_settings=true")
                            .path("persistent")
                            .has("archived.faster_bulk.enabled"))
                    .isTrue();
        } finally {
            cluster.close();
        }
    }
}
