package io.penstock.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalClusterTest {
    @TempDir
    Path state;

    @Test
    void aClusterNeverStartedIsEmptyAndTouchesNothing() {
        LocalCluster cluster = LocalCluster.at(state);

        assertThat(cluster.status().url()).isEmpty();
        assertThat(cluster.status().complete()).isFalse();
        assertThat(cluster.spec()).isEmpty();
        assertThatThrownBy(() -> cluster.kill(0)).hasMessageContaining("was never started");
        assertThat(state).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "..", "a/b", "Upper", "-a", "a b"})
    void refusesANameThatIsNoFolder(String name) {
        assertThatThrownBy(() -> LocalCluster.at(state, name)).hasMessageContaining("is no name for a cluster");
    }
}
