package io.penstock.testkit.seeds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

class SeededTest {

    @Test
    void fixedSeedsComeFirstAndANewOneLast() {
        List<Long> first = SeededRuns.seeds(Optional.empty(), 4).boxed().toList();
        List<Long> second = SeededRuns.seeds(Optional.empty(), 4).boxed().toList();

        assertThat(first).hasSize(4).startsWith(1L, 2L, 3L);
        assertThat(first.getLast()).isGreaterThan(4L).isNotEqualTo(second.getLast());
    }

    @Test
    void anAskedForSeedIsTheOnlyOne() {
        assertThat(SeededRuns.seeds(Optional.of(" 77 "), 200).toArray())
                .isEqualTo(LongStream.of(77).toArray());
    }

    @Test
    void eachRunShowsItsSeed() {
        // With -Dseed=N there is one run, and it must show that one.
        List<Long> expected = SeededRuns.seeds(Optional.ofNullable(System.getProperty("seed")), 2)
                .limit(1)
                .boxed()
                .toList();
        List<String> names = run("passes").testEvents().succeeded().stream()
                .map(event -> event.getTestDescriptor().getDisplayName())
                .toList();
        assertThat(names).contains("seed " + expected.getFirst());
    }

    @Test
    void aFailureNamesItsSeedAndKeepsItsCause() {
        for (Event failed : run("fails").testEvents().failed().list()) {
            String seed = failed.getTestDescriptor().getDisplayName().substring("seed ".length());
            Throwable failure = failed.getRequiredPayload(TestExecutionResult.class)
                    .getThrowable()
                    .orElseThrow();
            assertThat(failure)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("-Dseed=" + seed + ":")
                    .hasMessageContaining("too bad");
            assertThat(failure.getCause()).hasMessage("too bad");
        }
        assertThat(run("fails").testEvents().failed().count()).isPositive();
    }

    @Test
    void anAssumptionThatDoesNotHoldIsNoFailure() {
        EngineExecutionResults results = run("assumes");
        assertThat(results.testEvents().failed().count()).isZero();
        assertThat(results.testEvents().aborted().count()).isPositive();
    }

    private static EngineExecutionResults run(String method) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectMethod(Sample.class, method, Seeds.class))
                .execute();
    }

    /** Not found by the build, because it is nested and static; some of it fails on purpose. */
    static class Sample {

        @Seeded(runs = 3)
        void passes(Seeds seeds) {
            assertThat(seeds.seed()).isPositive();
        }

        @Seeded(runs = 3)
        void fails(Seeds seeds) {
            fail("too bad");
        }

        @Seeded(runs = 3)
        void assumes(Seeds seeds) {
            Assumptions.assumeTrue(seeds.seed() < 0);
        }
    }
}
