package io.penstock.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PortsTest {
    @Test
    void choosesOutsideTheRangeOfOutgoingConnectionsAndNeverOneInUse() {
        int first = Ports.choose(new Random(1), Set.of());
        int second = Ports.choose(new Random(1), Set.of(first));

        assertThat(first).isBetween(20_000, 31_999);
        assertThat(second).isNotEqualTo(first);
    }
}
