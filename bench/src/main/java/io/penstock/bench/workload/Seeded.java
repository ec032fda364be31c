package io.penstock.bench.workload;

/** SplitMix64 (Steele, Lea, Flood 2014), written out so that no JDK can change the bytes. Not thread-safe. */
final class Seeded {
    private static final byte[] HEX = Bytes.ascii("0123456789abcdef");

    private long state;

    Seeded(long seed) {
        state = seed;
    }

    long next() {
        state += 0x9E3779B97F4A7C15L;
        long mixed = (state ^ state >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    int below(int bound) {
        return (int) (((next() >>> 32) * bound) >>> 32);
    }

    byte[] one(byte[][] of) {
        return of[below(of.length)];
    }

    /** Small numbers far more often than large ones: a tenth of them make up more than half of all. */
    int skewed(int bound) {
        double even = (next() >>> 11) * 0x1.0p-53;
        return (int) (even * even * even * bound);
    }

    void guid(Bytes to) {
        long bits = next();
        for (int i = 0; i < 32; i++) {
            if (i == 8 || i == 12 || i == 16 || i == 20) {
                to.put((byte) '-');
            }
            to.put(HEX[(int) (bits >>> (i % 16 * 4)) & 15]);
        }
    }
}
