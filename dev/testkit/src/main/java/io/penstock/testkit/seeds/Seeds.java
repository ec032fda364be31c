package io.penstock.testkit.seeds;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * A stream of random choices that one number repeats: the same seed gives the same choices on every machine.
 *
 * <p>Ranges are half-open, lengths of texts are inclusive. For one thread; give each thread its own by {@link #split}.
 */
public final class Seeds {

    private static final RandomGeneratorFactory<RandomGenerator> ALGORITHM =
            RandomGeneratorFactory.of("L64X128MixRandom");
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * First and last code point of what text may hold: plain, escaped in JSON, two, three and four bytes in UTF-8, and
     * troublemakers.
     */
    private static final int[][] ALPHABETS = {
        {'a', 'z'},
        {' ', '~'},
        {0x00, 0x1F},
        {0xA1, 0x17F},
        {0x300, 0x36F},
        {0x5D0, 0x5EA},
        {0x2028, 0x202E},
        {0x4E00, 0x9FFF},
        {0xFEFF, 0xFEFF},
        {0x1F300, 0x1F64F},
    };

    private final long seed;
    private final RandomGenerator generator;

    public Seeds(long seed) {
        this.seed = seed;
        this.generator = ALGORITHM.create(seed);
    }

    /** The number that repeats everything this object gives. */
    public long seed() {
        return seed;
    }

    /** The generator itself, for code that takes one; draws from it and from here share one stream. */
    public RandomGenerator generator() {
        return generator;
    }

    /** A new stream that depends on the seed and on how much was drawn so far. */
    public Seeds split() {
        return new Seeds(generator.nextLong());
    }

    /** {@code from <= result < until}. */
    public int intBetween(int from, int until) {
        return generator.nextInt(from, until);
    }

    /** {@code from <= result < until}. */
    public long longBetween(long from, long until) {
        return generator.nextLong(from, until);
    }

    /** True with this probability: never for 0, always for 1. */
    public boolean chance(double probability) {
        return generator.nextDouble() < probability;
    }

    /** Any element of a list that is not empty. */
    public <T> T pick(List<T> choices) {
        return choices.get(generator.nextInt(choices.size()));
    }

    /** Any bytes. */
    public byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        generator.nextBytes(bytes);
        return bytes;
    }

    /** {@code min} to {@code max} small letters, both inclusive. */
    public String asciiWord(int min, int max) {
        int count = length(min, max);
        StringBuilder word = new StringBuilder(count);
        for (int i = 0; i < count; i++) {
            word.append((char) generator.nextInt('a', 'z' + 1));
        }
        return word.toString();
    }

    /**
     * {@code min} to {@code max} code points, both inclusive, of many scripts: also control characters, line
     * separators, a byte order mark, combining marks and characters of two {@code char}s, but no lone surrogate.
     */
    public String unicodeText(int min, int max) {
        int count = length(min, max);
        StringBuilder text = new StringBuilder(count);
        for (int i = 0; i < count; i++) {
            int[] alphabet = ALPHABETS[generator.nextInt(ALPHABETS.length)];
            text.appendCodePoint(generator.nextInt(alphabet[0], alphabet[1] + 1));
        }
        return text.toString();
    }

    /**
     * A JSON object on one line, with a few fields of different types and one text of exactly this many code points.
     */
    public String jsonObject(int textSize) {
        ObjectNode object = JSON.createObjectNode();
        object.put("n", generator.nextLong());
        object.put("x", generator.nextDouble());
        object.put("flag", generator.nextBoolean());
        object.putArray("tags").add(asciiWord(0, 8)).add(asciiWord(1, 8));
        object.putObject("inner").put(asciiWord(1, 8), generator.nextInt()).putNull("none");
        return object.put("text", unicodeText(textSize, textSize)).toString();
    }

    @Override
    public String toString() {
        return "seed " + seed;
    }

    private int length(int min, int max) {
        return generator.nextInt(min, max + 1);
    }
}
