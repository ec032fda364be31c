package io.penstock.node;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one thread of one process at a time work on a folder. The system gives it back when the process dies.
 *
 * <p>The file lock keeps other processes out, the lock in memory other threads: the file lock belongs to the process.
 */
final class FolderLock implements AutoCloseable {
    private static final Map<Path, ReentrantLock> THREADS = new ConcurrentHashMap<>();

    private final ReentrantLock thread;
    private final FileChannel file;

    private FolderLock(ReentrantLock thread, FileChannel file) {
        this.thread = thread;
        this.file = file;
    }

    /** Takes the lock whose file is {@code path}; says so through {@code waiting} if somebody else holds it. */
    static FolderLock take(Path path, Runnable waiting) {
        ReentrantLock thread = THREADS.computeIfAbsent(path, key -> new ReentrantLock());
        boolean told = false;
        if (!thread.tryLock()) {
            waiting.run();
            told = true;
            try {
                thread.lockInterruptibly();
            } catch (InterruptedException interrupted) {
                throw NodeException.interrupted();
            }
        }
        try {
            return new FolderLock(thread, openLocked(path, told ? () -> {} : waiting));
        } catch (IOException failed) {
            thread.unlock();
            throw NodeException.files(path, failed);
        }
    }

    private static FileChannel openLocked(Path path, Runnable waiting) throws IOException {
        Files.createDirectories(path.getParent());
        FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = file.tryLock();
            if (lock == null) {
                waiting.run();
                lock = file.lock();
            }
            return file;
        } catch (IOException failed) {
            file.close();
            throw failed;
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException ignored) {
            // The lock goes with the descriptor, whatever close says.
        } finally {
            thread.unlock();
        }
    }
}
