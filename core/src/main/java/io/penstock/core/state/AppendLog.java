package io.penstock.core.state;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A file of lines that only grows. A line cut off by a crash is removed when the log is opened again. Not thread-safe,
 * but for {@link #sync}, which may run beside {@link #append}.
 */
public final class AppendLog implements AutoCloseable {
    private static final int TAIL_BYTES = 1 << 20;

    private final Path file;
    private final FileChannel channel;
    private volatile long appendedBytes;
    private volatile long syncedBytes;

    private AppendLog(Path file, FileChannel channel, long bytes) {
        this.file = file;
        this.channel = channel;
        this.appendedBytes = bytes;
        this.syncedBytes = bytes;
    }

    /**
     * Opens a log, or makes it. A file that does not begin as a log of this kind is left alone.
     *
     * @param begin what every line begins with, in ASCII
     * @param isWhole tells whether a last line (without its line end) is whole
     */
    public static AppendLog open(Path file, String begin, Predicate<byte[]> isWhole) {
        try {
            FileChannel channel = DurableFiles.openPrivate(
                    file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
            if (!StateLock.lock(channel)) {
                channel.close();
                throw new StateException(
                        StateException.Reason.LOCKED,
                        "%s is written to by another load: wait for it, or name another file".formatted(file),
                        null);
            }
            if (!beginsWith(channel, begin)) {
                channel.close();
                throw new StateException(
                        StateException.Reason.UNREADABLE,
                        "%s holds something else: name another file".formatted(file),
                        null);
            }
            long end = endOfLastWholeLine(channel, isWhole);
            channel.truncate(end);
            channel.position(end);
            return new AppendLog(file, channel, end);
        } catch (IOException e) {
            throw StateException.notWritten(file, e);
        }
    }

    /** Where it is. */
    public Path file() {
        return file;
    }

    /** Whether anything is in it. */
    public boolean isEmpty() {
        return appendedBytes == 0;
    }

    /** Writes what {@code lines} gives, which ends with a line end; on failure the file is cut back to what it was. */
    public void append(Content lines) {
        try {
            var out = new BufferedOutputStream(new ToChannel(), 64 * 1024);
            lines.writeTo(out);
            out.flush();
            appendedBytes = channel.position();
        } catch (IOException e) {
            cutBack();
            throw StateException.notWritten(file, e);
        }
    }

    /** Bytes that are written when they are asked for. */
    @FunctionalInterface
    public interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    private final class ToChannel extends OutputStream {
        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            DurableFiles.writeFully(channel, ByteBuffer.wrap(bytes, offset, length));
        }
    }

    /** Returns when everything appended so far is on the disk. */
    public void sync() {
        long appended = appendedBytes;
        if (appended > syncedBytes) {
            DurableFiles.sync(channel, file);
            syncedBytes = appended;
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw StateException.notWritten(file, e);
        }
    }

    private void cutBack() {
        try {
            channel.truncate(appendedBytes);
            channel.position(appendedBytes);
        } catch (IOException e) {
            // The next open cuts the torn line.
        }
    }

    /** A crash can leave a part of the first line, or zeros in its place. */
    private static boolean beginsWith(FileChannel channel, String begin) throws IOException {
        byte[] head = read(channel, 0, Math.min(begin.length(), channel.size()));
        String text = new String(head, StandardCharsets.ISO_8859_1).replace("\0", "");
        return begin.startsWith(text);
    }

    private static long endOfLastWholeLine(FileChannel channel, Predicate<byte[]> isWhole) throws IOException {
        long end = channel.size();
        while (end > 0) {
            long begin = beginOfLineBefore(channel, end);
            byte[] line = read(channel, begin, end);
            boolean terminated = line[line.length - 1] == '\n';
            if (terminated && isWhole.test(Arrays.copyOf(line, line.length - 1))) {
                return end;
            }
            end = begin;
        }
        return 0;
    }

    private static long beginOfLineBefore(FileChannel channel, long end) throws IOException {
        long until = end - 1;
        while (until > 0) {
            long from = Math.max(0, until - TAIL_BYTES);
            byte[] part = read(channel, from, until);
            for (int i = part.length - 1; i >= 0; i--) {
                if (part[i] == '\n') {
                    return from + i + 1;
                }
            }
            until = from;
        }
        return 0;
    }

    private static byte[] read(FileChannel channel, long from, long until) throws IOException {
        var bytes = ByteBuffer.allocate(Math.toIntExact(until - from));
        while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) >= 0) {}
        return bytes.array();
    }
}
