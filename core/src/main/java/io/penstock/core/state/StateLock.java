package io.penstock.core.state;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * Keeps two processes from using one folder: a lock of the operating system, which ends with its process however that
 * dies. The file's text (pid and time) is for the message only.
 */
public final class StateLock implements AutoCloseable {
    private final FileChannel channel;

    private StateLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Takes the lock.
     *
     * @param holder text for whoever finds it taken, for example pid and time
     * @throws StateException with LOCKED when another process has it
     */
    public static StateLock take(Path folder, String holder) {
        Path file = folder.resolve("lock");
        try {
            FileChannel channel = DurableFiles.openPrivate(
                    file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
            if (!lock(channel)) {
                channel.close();
                throw new StateException(
                        StateException.Reason.LOCKED,
                        "%s is in use by %s: wait for it, or stop it".formatted(folder, holder(file)),
                        null);
            }
            channel.truncate(0);
            DurableFiles.writeFully(channel, ByteBuffer.wrap(holder.getBytes(StandardCharsets.UTF_8)));
            return new StateLock(channel);
        } catch (IOException e) {
            throw StateException.notWritten(file, e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // The lock ends with the process at the latest.
        }
    }

    /** Takes the lock of a file until the channel is closed; false if somebody has it. */
    static boolean lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private static String holder(Path file) {
        try {
            String text = Files.readString(file).strip();
            return text.isEmpty() ? "another process" : text;
        } catch (IOException e) {
            return "another process";
        }
    }
}
