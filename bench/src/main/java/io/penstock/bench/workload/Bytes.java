package io.penstock.bench.workload;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Text that is put together byte by byte, which is what makes a million documents a second. Not thread-safe. */
public final class Bytes {
    private byte[] buffer = new byte[1 << 16];
    private int length;

    /** How much has been put together. */
    public int length() {
        return length;
    }

    /** Forgets everything. */
    public void clear() {
        length = 0;
    }

    /** Writes all of it. */
    public void writeTo(OutputStream to) throws IOException {
        to.write(buffer, 0, length);
    }

    /** A copy of all of it. */
    public byte[] toArray() {
        return Arrays.copyOf(buffer, length);
    }

    public void put(byte one) {
        reserve(1);
        buffer[length++] = one;
    }

    public void put(byte[] bytes) {
        put(bytes, 0, bytes.length);
    }

    public void put(byte[] bytes, int from, int count) {
        reserve(count);
        System.arraycopy(bytes, from, buffer, length, count);
        length += count;
    }

    /** A number that is not negative, in decimal digits. */
    void number(int value) {
        int width = 1;
        for (int rest = value; rest >= 10; rest /= 10) {
            width++;
        }
        digits(value, width);
    }

    /** The last digits of a number, with leading zeros. */
    void digits(int value, int width) {
        reserve(width);
        int rest = value;
        for (int i = length + width - 1; i >= length; i--) {
            buffer[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += width;
    }

    /** Hundredths, as a decimal fraction with two digits. */
    void hundredths(int value) {
        number(value / 100);
        put((byte) '.');
        digits(value % 100, 2);
    }

    private void reserve(int more) {
        if (buffer.length - length < more) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, length + more));
        }
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static byte[][] terms(String... texts) {
        byte[][] bytes = new byte[texts.length][];
        for (int i = 0; i < texts.length; i++) {
            bytes[i] = ascii(texts[i]);
        }
        return bytes;
    }
}
