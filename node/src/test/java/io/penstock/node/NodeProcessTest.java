package io.penstock.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NodeProcessTest {
    private final NodeProcess self = NodeProcess.of(ProcessHandle.current());

    @Test
    void knowsAProcessAgainByNumberAndBeginning() {
        assertThat(self.running()).isTrue();
        assertThat(new NodeProcess(self.pid(), self.startedMillis() + 1_000).running())
                .isTrue();
    }

    @Test
    void anotherProcessWithTheSameNumberIsNotTheOne() {
        assertThat(new NodeProcess(self.pid(), self.startedMillis() - 60_000).running())
                .isFalse();
        assertThat(new NodeProcess(self.pid(), 0).running()).isFalse();
    }

    @Test
    void noProcessNeverRuns() {
        assertThat(NodeProcess.NONE.running()).isFalse();
        assertThat(new NodeProcess(Long.MAX_VALUE, self.startedMillis()).running())
                .isFalse();
    }

    @Test
    void aDeadProcessIsGoneOnlyWhenItsLastThreadIs() {
        String stat = "12 (odd) name) %s 1 12 12 0 -1 0 0 0 0 0 0 0 0 0 20 0 %d 0 4711 0 0";

        assertThat(NodeProcess.isZombie(stat.formatted("Z", 1))).isTrue();
        assertThat(NodeProcess.isZombie(stat.formatted("Z", 8))).isFalse();
        assertThat(NodeProcess.isZombie(stat.formatted("S", 1))).isFalse();
    }
}
