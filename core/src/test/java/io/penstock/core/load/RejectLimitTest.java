package io.penstock.core.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class RejectLimitTest {
    private static final String MAPPING = "mapper_parsing_exception";

    @Test
    void aThousandInARowOfOneKindStopTheLoad() {
        RejectLimit limit = RejectLimit.ofOneKind();
        for (int i = 1; i < 1_000; i++) {
            assertThat(reject(limit, MAPPING, i)).as("rejected %d", i).isEmpty();
        }
        assertThat(reject(limit, MAPPING, 1_000))
                .hasValueSatisfying(why ->
                        assertThat(why).contains("1,000 documents in a row were rejected for one reason", MAPPING));
    }

    @Test
    void oneThatIsTakenBeginsTheRowAnew() {
        RejectLimit limit = RejectLimit.ofOneKind();
        limit.onAccepted(2_000); // so that half of the last thousand is far away
        for (int i = 0; i < 499; i++) {
            assertThat(reject(limit, MAPPING, i)).isEmpty();
        }
        limit.onAccepted(600);
        for (int i = 0; i < 400; i++) {
            assertThat(reject(limit, MAPPING, i)).as("rejected %d again", i).isEmpty();
        }
    }

    @Test
    void moreThanHalfOfTheLastThousandOfOneKindStopTheLoad() {
        RejectLimit limit = RejectLimit.ofOneKind();
        Optional<String> why = Optional.empty();
        int rejected = 0;
        for (int i = 0; i < 2_000 && why.isEmpty(); i++) {
            if (i % 5 < 3) {
                why = reject(limit, MAPPING, i);
                rejected++;
            } else {
                limit.onAccepted(1);
            }
        }
        assertThat(why).hasValueSatisfying(text -> assertThat(text).contains("of the last 1,000 documents"));
        assertThat(rejected).as("no judgement before there were a thousand").isBetween(600, 601);
    }

    @Test
    void differentReasonsDoNotAddUp() {
        RejectLimit limit = RejectLimit.ofOneKind();
        for (int i = 0; i < 5_000; i++) {
            assertThat(limit.onRejected("type-" + i % 3, "reason")).isEmpty();
        }
    }

    @Test
    void reasonsThatDifferInNumbersAndQuotedWordsAreOne() {
        RejectLimit limit = RejectLimit.ofOneKind();
        Optional<String> why = Optional.empty();
        for (int i = 1; i <= 1_000; i++) {
            why = limit.onRejected(
                    MAPPING, "failed to parse field [f%d] with value '%d' in \"d%d\"".formatted(i, i, i));
        }
        assertThat(why).isPresent();
    }

    @Test
    void aNumberOfOnesOwnCountsAllKindsAndEarlierRuns() {
        RejectLimit limit = RejectLimit.total(10, 8);
        assertThat(limit.onRejected("a", "one")).isEmpty();
        assertThat(limit.onRejected("b", "two")).isEmpty();
        assertThat(limit.onRejected("c", "three"))
                .hasValueSatisfying(why -> assertThat(why).contains("more than 10 documents", "--max-rejects"));
    }

    private static Optional<String> reject(RejectLimit limit, String type, int number) {
        return limit.onRejected(type, "failed to parse field [n] with value " + number);
    }
}
