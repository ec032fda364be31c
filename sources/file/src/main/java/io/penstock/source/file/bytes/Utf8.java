package io.penstock.source.file.bytes;

import io.penstock.core.document.Body;

/**
 * Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF, nothing cut.
 *
 * <p>The steps are those of the UTF-8 decoder of the WHATWG Encoding Standard, which need no look-ahead, so that a body
 * may be in pieces.
 */
final class Utf8 implements Body.PieceConsumer {
    private long consumed;
    private long invalidAt = -1;
    private int needed;
    private int lower = 0x80;
    private int upper = 0xbf;

    /** Offset in the body of the first byte that is not UTF-8, or -1. */
    long firstInvalid(Body body) {
        body.forEachPiece(this);
        return invalidAt < 0 && needed > 0 ? body.size() : invalidAt;
    }

    @Override
    public void accept(byte[] array, int offset, int length) {
        if (invalidAt >= 0) {
            return;
        }
        int until = offset + length;
        int i = offset;
        while (i < until) {
            if (needed == 0) {
                i = skipUsual(array, i, until);
                if (i == until) {
                    break;
                }
            }
            if (!step(array[i] & 0xff)) {
                invalidAt = consumed + i - offset;
                return;
            }
            i++;
        }
        consumed += length;
    }

    /** Passes over whole characters of one to three bytes whose forms need no special care. */
    private static int skipUsual(byte[] array, int from, int until) {
        int i = from;
        while (i < until) {
            int value = array[i] & 0xff;
            if (value < 0x80) {
                i = LineReader.skipAscii(array, i, until);
            } else if (value > 0xe0 && value < 0xf0 && value != 0xed) {
                if (until - i < 3 || !isContinuation(array[i + 1]) || !isContinuation(array[i + 2])) {
                    return i;
                }
                i += 3;
            } else if (value >= 0xc2 && value < 0xe0 && until - i >= 2 && isContinuation(array[i + 1])) {
                i += 2;
            } else {
                return i;
            }
        }
        return i;
    }

    private static boolean isContinuation(byte value) {
        return (value & 0xc0) == 0x80;
    }

    private boolean step(int value) {
        if (needed == 0) {
            return begin(value);
        }
        if (value < lower || value > upper) {
            return false;
        }
        lower = 0x80;
        upper = 0xbf;
        needed--;
        return true;
    }

    private boolean begin(int value) {
        if (value < 0xc2 || value > 0xf4) {
            return value < 0x80;
        }
        needed = value < 0xe0 ? 1 : value < 0xf0 ? 2 : 3;
        switch (value) {
            case 0xe0 -> lower = 0xa0;
            case 0xed -> upper = 0x9f;
            case 0xf0 -> lower = 0x90;
            case 0xf4 -> upper = 0x8f;
            default -> {}
        }
        return true;
    }
}
