package io.penstock.program;

import io.penstock.realservers.RealNode;
import org.junit.jupiter.api.Tag;

/** The same where replicas must come back too. */
@Tag("torture")
@RealNode(nodes = 3)
class EnvelopeKillsOnThreeNodesIT extends EnvelopeKillsIT {
    @Override
    int replicas() {
        return 1;
    }
}
