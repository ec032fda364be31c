package io.penstock.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterRecordTest {
    @TempDir
    Path folder;

    @Test
    void isReadAsItWasWritten() {
        ClusterRecord record = new ClusterRecord(
                new ClusterSpec(Distribution.parse("elasticsearch:7.17.29"), 2, "2g", Map.of("node.processors", "1")),
                "/var/lib/penstock/x",
                List.of(
                        new ClusterRecord.Node("node-0", 21_000, 21_001, new NodeProcess(12, 1_700_000_000_123L)),
                        new ClusterRecord.Node("node-1", 21_002, 21_003, NodeProcess.NONE)));
        Path file = folder.resolve("deeper/cluster.json");

        record.write(file);
        record.write(file);

        assertThat(ClusterRecord.read(file)).contains(record);
        assertThat(file.getParent()).isDirectoryContaining(path -> path.equals(file));
        assertThat(file.resolveSibling("cluster.json.tmp")).doesNotExist();
    }

    @Test
    void isEmptyWhereNothingWasStarted() {
        assertThat(ClusterRecord.read(folder.resolve("cluster.json"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{}", "[]", "null", "{\"spec\":{\"nodes\":99}}"})
    void aDamagedFileIsSaidToBeDamaged(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("cluster.json"), text);

        assertThatThrownBy(() -> ClusterRecord.read(file))
                .isInstanceOfSatisfying(
                        NodeException.class,
                        damaged -> assertThat(damaged.reason()).isEqualTo(NodeException.Reason.FILES))
                .hasMessageContaining("cluster.json is damaged");
    }
}
