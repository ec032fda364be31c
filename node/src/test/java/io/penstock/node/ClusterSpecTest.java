package io.penstock.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterSpecTest {
    @ParameterizedTest
    @ValueSource(strings = {"128m", "512m", "2g", "1G", "4096M"})
    void takesAHeapAsTheJvmWritesIt(String heap) {
        assertThat(new ClusterSpec(Distribution.DEFAULT, 1, heap, Map.of()).heap())
                .isEqualTo(heap);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "2", "2gb", "64m", "0g", "1.5g", "-1g", "1g -XX:+Foo", "99999999g"})
    void refusesAnyOtherHeap(String heap) {
        assertThatThrownBy(() -> new ClusterSpec(Distribution.DEFAULT, 1, heap, Map.of()))
                .isInstanceOf(NodeException.class)
                .hasMessageContaining("is no heap size");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 10})
    void refusesANumberOfNodesNoMachineShouldRun(int nodes) {
        assertThatThrownBy(() -> new ClusterSpec(Distribution.DEFAULT, nodes, "1g", Map.of()))
                .isInstanceOf(NodeException.class)
                .hasMessageContaining("choose 1 to 9");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "network.host",
                "http.port",
                "http.bind_host",
                "transport.publish_host",
                "path.data",
                "node.name",
                "cluster.name",
                "discovery.type",
                "cluster.initial_master_nodes",
                "transport.profiles.default.port"
            })
    void refusesSettingsThatWouldOpenOrSplitTheCluster(String key) {
        assertThatThrownBy(() -> new ClusterSpec(Distribution.DEFAULT, 1, "1g", Map.of(key, "x")))
                .isInstanceOf(NodeException.class)
                .hasMessageContaining("is chosen by Penstock");
    }

    @Test
    void refusesAKeyThatWouldWriteASecondLine() {
        assertThatThrownBy(() -> new ClusterSpec(Distribution.DEFAULT, 1, "1g", Map.of("a: 1\nnetwork.host", "x")))
                .isInstanceOf(NodeException.class)
                .hasMessageContaining("is no name of a setting");
    }

    @Test
    void dataFollowsVersionAndNumberOfNodesNotHeapOrSettings() {
        ClusterSpec one = ClusterSpec.DEFAULT;

        assertThat(one.sameShape(new ClusterSpec(one.distribution(), 1, "2g", Map.of("node.processors", "1"))))
                .isTrue();
        assertThat(one.sameShape(new ClusterSpec(one.distribution(), 3, "1g", Map.of())))
                .isFalse();
        assertThat(one.sameShape(new ClusterSpec(Distribution.parse("2.19.1"), 1, "1g", Map.of())))
                .isFalse();
    }
}
