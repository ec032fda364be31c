package io.penstock.fasterbulk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShardChoiceTest {
    private static final long TURN = 200_000_000L;

    @Test
    void allShardsGetTheSameInTheLongRun() {
        var choice = new ShardChoice(30);
        var bulks = new int[30];
        for (long turn = 0; turn < 300; turn++) {
            for (int i = 0; i < 40; i++) {
                int shard = choice.take(turn * TURN, ignored -> true, true);
                bulks[shard]++;
                choice.done(shard);
            }
        }
        assertThat(bulks).containsOnly(300 * 40 / 30);
    }

    @Test
    void onlyAFewShardsAreInUseAtATimeSoThatBulksMeet() {
        var choice = new ShardChoice(30);
        Set<Integer> used = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            used.add(choice.take(7 * TURN, ignored -> true, true));
        }
        assertThat(used).hasSize(4);
    }

    @Test
    void aSlowShardGetsFewer() {
        var choice = new ShardChoice(4);
        var bulks = new int[4];
        for (int i = 0; i < 1_000; i++) {
            int shard = choice.take(0, ignored -> true, true);
            bulks[shard]++;
            if (shard != 2) {
                choice.done(shard);
            }
        }
        assertThat(bulks[2]).isEqualTo(1);
        assertThat(IntStream.of(bulks).sum()).isEqualTo(1_000);
    }

    @Test
    void aShardThatCannotTakeWritesIsPassedOver() {
        var choice = new ShardChoice(10);
        for (int i = 0; i < 50; i++) {
            assertThat(choice.take(i * TURN, shard -> shard == 9, true)).isEqualTo(9);
        }
        assertThat(choice.take(0, ignored -> false, true)).isEqualTo(ShardChoice.NONE);
    }

    @Test
    void aBulkThatIsAloneIsLeftToAllShardsWhereThatIsFaster() {
        var choice = new ShardChoice(5);
        int alone = choice.take(0, ignored -> true, false);
        assertThat(alone).isEqualTo(ShardChoice.NONE);
        int second = choice.take(0, ignored -> true, false);
        assertThat(second).as("two at a time").isNotEqualTo(ShardChoice.NONE);
        choice.done(alone);
        choice.done(second);
        assertThat(choice.take(0, ignored -> true, false)).isEqualTo(ShardChoice.NONE);
    }
}
