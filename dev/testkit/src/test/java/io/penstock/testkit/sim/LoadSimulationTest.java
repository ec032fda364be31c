package io.penstock.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.seeds.Seeded;
import io.penstock.testkit.seeds.Seeds;

/** Promises 1, 2, 4 and 5, over thousands of seeds of rejections, lost and late answers, crashes and kills. */
class LoadSimulationTest {
    private static final long HOUR = 3600 * World.SECOND;

    @Seeded(runs = 4000)
    void everyDocumentEndsInExactlyOnePlaceWhateverHappens(Seeds seeds) {
        // Given a world with its own kinds of bad luck, in which Penstock is killed a few times
        var world = new World(seeds);
        for (int kill = 0; kill < world.luck.kills; kill++) {
            var doomed = new SimulatedLoad(world);
            int steps = seeds.intBetween(1, 200);
            for (int i = 0; i < steps && world.step(); i++) {}
            doomed.kill();
        }

        // When the same command runs to its end
        var load = new SimulatedLoad(world);
        int pumped = 0;
        while (world.now < HOUR && world.step()) {
            assertThat(++pumped).as("events").isLessThan(World.PUMP_LIMIT);
            if (SimulatedLoad.WRITES_LOST.equals(load.stopped)) {
                load.kill();
                load = new SimulatedLoad(world); // as Job does: again from the last checkpoint
            }
        }

        // Then it has ended, every document has its place, and nothing is lost, doubled, stale or left behind
        assertThat(load.stopped).isNull();
        assertThat(load.isComplete()).as("ended within an hour").isTrue();
        assertThat(load.counts().read()).isEqualTo(world.rows.size());
        assertThat(load.counts().addsUp()).as(load.counts().equation()).isTrue();
        assertThat(world.deadLettered).containsOnlyKeys(world.hopeless());
        assertThat(world.cluster.documents()).containsExactlyInAnyOrderEntriesOf(world.expected(load));
        load.checkNothingLeaks();
    }
}
