package io.penstock.bench.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class IntervalTest {
    private static final int EXPERIMENTS = 400;

    @Test
    void fiveValuesAreTheirWholeSpan() {
        Interval interval = Interval.ofMedian(List.of(5.0, 1.0, 4.0, 2.0, 3.0));

        assertThat(interval).isEqualTo(new Interval(3, 1, 5, 5));
    }

    @Test
    void whatDoesNotVaryHasNoWidth() {
        assertThat(Interval.ofMedian(List.of(7.0, 7.0, 7.0))).isEqualTo(new Interval(7, 7, 7, 3));
    }

    static Stream<Arguments> distributions() {
        return Stream.of(
                Arguments.of("normal", (ToDoubleFunction<Random>) random -> 100 + random.nextGaussian(), 100.0),
                Arguments.of("skewed", (ToDoubleFunction<Random>) random -> Math.exp(random.nextGaussian()), 1.0),
                Arguments.of("even", (ToDoubleFunction<Random>) Random::nextDouble, 0.5),
                Arguments.of(
                        "with outliers",
                        (ToDoubleFunction<Random>)
                                random -> 10 + random.nextGaussian() * (random.nextInt(10) == 0 ? 20 : 1),
                        10.0));
    }

    /** 94% is what five values can give; the bounds are four standard errors of 400 experiments. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("distributions")
    void coversTheTrueMedianAsOftenAsItSays(String name, ToDoubleFunction<Random> distribution, double median) {
        for (int rounds : new int[] {5, 9, 15}) {
            var random = new Random(42 + rounds);
            int covered = 0;
            for (int i = 0; i < EXPERIMENTS; i++) {
                covered +=
                        Interval.ofMedian(drawn(random, distribution, rounds)).covers(median) ? 1 : 0;
            }
            assertThat(covered / (double) EXPERIMENTS)
                    .as("%s, %d rounds", name, rounds)
                    .isBetween(0.89, 0.99);
        }
    }

    /** Rounds drift together by far more than the sides differ; pairs do not see it. */
    @Test
    void findsNoDifferenceBetweenEqualSidesOnAMachineThatDrifts() {
        var random = new Random(4);
        int found = 0;
        for (int i = 0; i < EXPERIMENTS; i++) {
            List<Double> first = new ArrayList<>();
            List<Double> second = new ArrayList<>();
            for (int round = 0; round < 5; round++) {
                double machine = 1_000 * (1 + random.nextDouble());
                first.add(machine * (1 + 0.03 * random.nextGaussian()));
                second.add(machine * (1 + 0.03 * random.nextGaussian()));
            }
            found += Interval.ofRatios(first, second).covers(1) ? 0 : 1;
        }
        assertThat(found / (double) EXPERIMENTS).isBetween(0.02, 0.11);
    }

    @Test
    void findsADifferenceThatIsThere() {
        List<Double> slow = List.of(100.0, 150.0, 90.0, 120.0, 200.0);
        List<Double> fast = slow.stream().map(value -> value * 1.1).toList();

        Interval ratio = Interval.ofRatios(fast, slow);
        assertThat(ratio.covers(1)).isFalse();
        assertThat(ratio.median()).isBetween(1.099, 1.101);
    }

    @Test
    void needsSomethingThatWasMeasured() {
        assertThatIllegalArgumentException().isThrownBy(() -> Interval.ofMedian(List.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> Interval.ofRatios(List.of(1.0), List.of()));
    }

    private static List<Double> drawn(Random random, ToDoubleFunction<Random> distribution, int count) {
        List<Double> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(distribution.applyAsDouble(random));
        }
        return values;
    }
}
