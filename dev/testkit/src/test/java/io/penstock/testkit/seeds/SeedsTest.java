package io.penstock.testkit.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SeedsTest {

    @Test
    void theSameSeedGivesTheSameChoices() {
        assertThat(draw(new Seeds(5))).isEqualTo(draw(new Seeds(5))).isNotEqualTo(draw(new Seeds(6)));
        assertThat(draw(new Seeds(5).split())).isEqualTo(draw(new Seeds(5).split()));
    }

    @Seeded(runs = 50)
    void rangesAreHalfOpenAndReachBothEnds(Seeds seeds) {
        List<Integer> ints = IntStream.range(0, 500)
                .mapToObj(i -> seeds.intBetween(-2, 3))
                .distinct()
                .sorted()
                .toList();
        assertThat(ints).containsExactly(-2, -1, 0, 1, 2);
        assertThat(seeds.longBetween(Long.MAX_VALUE - 1, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE - 1);
    }

    @Seeded(runs = 50)
    void chanceIsNeverAtZeroAndAlwaysAtOne(Seeds seeds) {
        assertThat(seeds.chance(0)).isFalse();
        assertThat(seeds.chance(1)).isTrue();
    }

    @Seeded(runs = 50)
    void wordsHaveTheirLengthAndLetters(Seeds seeds) {
        assertThat(seeds.asciiWord(2, 5)).matches("[a-z]{2,5}");
        assertThat(seeds.asciiWord(0, 0)).isEmpty();
        assertThat(seeds.bytes(17)).hasSize(17);
        assertThat(seeds.pick(List.of("a", "b"))).isIn("a", "b");
    }

    @Seeded
    void textCanBeEncodedAndCounted(Seeds seeds) throws CharacterCodingException {
        String text = seeds.unicodeText(0, 40);
        assertThat(text.codePointCount(0, text.length())).isBetween(0, 40);
        // A strict encoder, which refuses lone surrogates.
        assertThat(StandardCharsets.UTF_8
                        .newEncoder()
                        .encode(java.nio.CharBuffer.wrap(text))
                        .remaining())
                .isGreaterThanOrEqualTo(text.length());
    }

    @Seeded
    void objectsAreOneLineOfJson(Seeds seeds) throws IOException {
        String line = seeds.jsonObject(30);
        JsonNode object = new ObjectMapper().readTree(line);
        String text = object.path("text").asText();
        assertThat(line).doesNotContain("\n", "\r");
        assertThat(text.codePointCount(0, text.length())).isEqualTo(30);
    }

    private static List<Object> draw(Seeds seeds) {
        return List.of(
                seeds.intBetween(0, 1000),
                seeds.longBetween(0, Long.MAX_VALUE),
                seeds.chance(0.5),
                seeds.asciiWord(1, 9),
                seeds.unicodeText(1, 9),
                seeds.jsonObject(9),
                seeds.bytes(3)[0]);
    }
}
