package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class SpreadTest {
    @Test
    void takesTheMiddleValueOfAnOddNumber() {
        assertThat(new Spread(List.of(9.0, 1.0, 3.0)).median()).isEqualTo(3);
    }

    @Test
    void takesTheMeanOfTheTwoMiddleValuesOfAnEvenNumber() {
        assertThat(new Spread(List.of(10.0, 1.0, 2.0, 4.0)).median()).isEqualTo(3);
    }

    @Test
    void showsMedianSmallestAndLargest() {
        assertThat(new Spread(List.of(1500.0, 1000.0, 2500.5)).cells(1))
                .containsExactly("1,500.0", "1,000.0", "2,500.5");
    }

    @Test
    void comparesRoundByRoundSoThatDriftFallsOut() {
        var first = new Spread(List.of(90.0, 45.0, 9.0));
        var second = new Spread(List.of(100.0, 50.0, 10.0));

        Spread ratios = Spread.ratios(first, second);

        assertThat(ratios.min()).isEqualTo(0.9);
        assertThat(ratios.max()).isEqualTo(0.9);
    }

    @Test
    void refusesToCompareRoundsThatHaveNoPartner() {
        var three = new Spread(List.of(1.0, 2.0, 3.0));
        var two = new Spread(List.of(1.0, 2.0));

        assertThatThrownBy(() -> Spread.ratios(three, two)).isInstanceOf(IllegalArgumentException.class);
    }
}
