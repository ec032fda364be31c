package io.penstock.source.file.bytes;

import io.penstock.core.source.SourceException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/**
 * The bytes of a file as they are stored, counted, and held to the size the file had when the load began.
 *
 * <p>A file that is shorter or longer than that is not read as if nothing had happened: its end throws, before the
 * unfinished last line could be taken for a whole one.
 */
public final class StoredInput extends InputStream {
    /** The expected size of a pipe. */
    public static final long ANY_SIZE = -1;

    private static final Duration POLL = Duration.ofMillis(10);

    private final InputStream in;
    private final long expectedBytes;
    private final boolean closesInput;
    private long count;

    private StoredInput(InputStream in, long expectedBytes, boolean closesInput) {
        this.in = in;
        this.expectedBytes = expectedBytes;
        this.closesInput = closesInput;
    }

    /** A file or named pipe, of exactly {@code expectedBytes} or {@link #ANY_SIZE}. */
    public static StoredInput of(InputStream in, long expectedBytes) {
        return new StoredInput(in, expectedBytes, true);
    }

    /** A stream of the process, which stays open. */
    public static StoredInput shared(InputStream in) {
        return new StoredInput(in, ANY_SIZE, false);
    }

    /** Whether its end is not known beforehand. */
    public boolean isPipe() {
        return expectedBytes == ANY_SIZE;
    }

    /** Whether it is a pipe of which nothing arrives for {@code moment}; at its end nothing arrives either. */
    public boolean isQuietFor(Duration moment) throws IOException {
        long until = System.nanoTime() + moment.toNanos();
        while (isPipe() && in.available() == 0) {
            if (System.nanoTime() - until > 0) {
                return true;
            }
            try {
                Thread.sleep(POLL);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return false;
    }

    /** Bytes read or skipped so far. */
    public long count() {
        return count;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        int wanted = length;
        if (expectedBytes != ANY_SIZE) {
            if (count >= expectedBytes) {
                checkEnd();
                return -1;
            }
            wanted = (int) Math.min(length, expectedBytes - count);
        }
        int read = readStored(target, offset, wanted);
        if (read < 0) {
            checkEnd();
            return -1;
        }
        count += read;
        return read;
    }

    @Override
    public long skip(long bytes) throws IOException {
        long wanted = expectedBytes == ANY_SIZE ? bytes : Math.min(bytes, expectedBytes - count);
        long skipped = wanted <= 0 ? 0 : in.skip(wanted);
        count += skipped;
        return skipped;
    }

    @Override
    public int available() {
        // Whoever buffers this must not read on for more than it needs: if that threw, what it had read would be lost.
        return 0;
    }

    private void checkEnd() throws IOException {
        if (expectedBytes == ANY_SIZE) {
            return;
        }
        if (count < expectedBytes) {
            throw new BrokenInputException(
                    Reason.CHANGED,
                    "it became shorter while it was read: " + count + " bytes, and it had " + expectedBytes);
        }
        if (readStored(new byte[1], 0, 1) > 0) {
            throw new BrokenInputException(
                    Reason.CHANGED, "it became longer while it was read: it had " + expectedBytes + " bytes");
        }
    }

    private int readStored(byte[] target, int offset, int length) throws IOException {
        try {
            return in.read(target, offset, length);
        } catch (IOException e) {
            throw new BrokenInputException(Reason.GONE, "it cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        if (closesInput) {
            in.close();
        }
    }
}
