package io.penstock.source.file.bytes;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A gzip stream, member by member: what follows a member is another whole member, zero padding as gzip(1) accepts it,
 * or a fault.
 *
 * <p>{@link java.util.zip.GZIPInputStream} takes a broken header behind the first member for the end of the file
 * (JDK-8322256).
 */
final class GzipMembers extends InputStream {
    private final InputStream stored;
    private @Nullable GzipCompressorInputStream member;
    private boolean ended;
    private boolean anyMember;
    private long producedByEarlier;

    /** @param stored must support marks, so that a member leaves it just behind its own trailer */
    GzipMembers(InputStream stored) {
        this.stored = stored;
    }

    /** Bytes decoded so far, also those of a read that ended with an exception. */
    long produced() {
        return producedByEarlier + (member == null ? 0 : member.getBytesRead());
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        while (!ended) {
            if (member == null) {
                openMember();
                continue;
            }
            int read = member.read(target, offset, length);
            if (read > 0) {
                return read;
            }
            producedByEarlier += member.getBytesRead();
            member = null;
        }
        return -1;
    }

    private void openMember() throws IOException {
        stored.mark(2);
        int first = stored.read();
        if (first < 0) {
            ended = true;
            return;
        }
        if (first == 0 && anyMember) {
            readPadding();
            return;
        }
        int second = stored.read();
        if (second < 0) {
            throw new EOFException("the header of a further member is cut");
        }
        if (first != 0x1f || second != 0x8b) {
            throw new IOException("what follows a whole member is not another one");
        }
        stored.reset();
        anyMember = true;
        member = GzipCompressorInputStream.builder()
                .setInputStream(stored)
                .setDecompressConcatenated(false)
                .get();
    }

    private void readPadding() throws IOException {
        int value;
        do {
            value = stored.read();
        } while (value == 0);
        if (value > 0) {
            throw new IOException("what follows a whole member and zeros is neither");
        }
        ended = true;
    }

    @Override
    public void close() throws IOException {
        if (member != null) {
            member.close();
        }
        stored.close();
    }
}
