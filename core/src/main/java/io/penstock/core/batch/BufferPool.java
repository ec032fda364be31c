package io.penstock.core.batch;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The memory budget of a load. A batch reserves its bytes when it is opened and returns them when every document in it
 * has its end; the reader blocks in {@link #reserve} and only there, so memory stays bounded whatever the cluster does.
 *
 * <p>Thread-safe.
 */
public final class BufferPool {
    /** Size of one chunk: large enough for a cheap socket write, small enough that a batch wastes little. */
    public static final int CHUNK_BYTES = 128 * 1024;

    private final long budgetBytes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition returned = lock.newCondition();
    private final Deque<byte[]> freeChunks = new ArrayDeque<>();
    private long reservedBytes;
    /** In use and free together. */
    private long chunksMade;

    /** A budget of so many bytes, at least one chunk, for all reservations together. */
    public BufferPool(long budgetBytes) {
        if (budgetBytes < CHUNK_BYTES) {
            throw new IllegalArgumentException("budget " + budgetBytes + " is less than one chunk");
        }
        this.budgetBytes = budgetBytes;
    }

    /** The whole budget in bytes. */
    public long budgetBytes() {
        return budgetBytes;
    }

    /** Bytes reserved now. */
    public long reservedBytes() {
        lock.lock();
        try {
            return reservedBytes;
        } finally {
            lock.unlock();
        }
    }

    /** Whether {@link #reserve} would return at once. */
    public boolean hasRoomFor(long bytes) {
        lock.lock();
        try {
            return fits(bytes);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until {@code bytes} are free and takes them. More than the whole budget is granted when nothing else is
     * reserved, so that one very large document passes alone.
     */
    public void reserve(long bytes) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!fits(bytes)) {
                returned.await();
            }
            reservedBytes += bytes;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives back what {@link #reserve} took, with the chunks filled under it. They are kept for the next batch as long
     * as there are no more of them than the budget holds: a dropped chunk has lived long enough to be garbage that only
     * a full collection finds, and reservations are rarely filled to the last byte.
     */
    void release(long bytes, List<byte[]> chunks) {
        lock.lock();
        try {
            reservedBytes -= bytes;
            if (reservedBytes < 0) {
                throw new IllegalStateException("more bytes returned than were reserved: " + reservedBytes);
            }
            for (byte[] chunk : chunks) {
                if (chunksMade * CHUNK_BYTES <= budgetBytes) {
                    freeChunks.push(chunk);
                } else {
                    chunksMade--; // made for a document larger than the budget
                }
            }
            returned.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Memory of chunks that wait for their next batch, in bytes. */
    long freeBytes() {
        lock.lock();
        try {
            return (long) freeChunks.size() * CHUNK_BYTES;
        } finally {
            lock.unlock();
        }
    }

    /** A reservation is filled with memory that is not the pool's: free chunks make room for it. */
    void makeRoomBesideChunks() {
        lock.lock();
        try {
            while (!freeChunks.isEmpty() && reservedBytes + (long) freeChunks.size() * CHUNK_BYTES > budgetBytes) {
                freeChunks.pop();
                chunksMade--;
            }
        } finally {
            lock.unlock();
        }
    }

    byte[] takeChunk() {
        lock.lock();
        try {
            byte[] chunk = freeChunks.poll();
            if (chunk == null) {
                chunksMade++;
                return new byte[CHUNK_BYTES];
            }
            return chunk;
        } finally {
            lock.unlock();
        }
    }

    private boolean fits(long bytes) {
        return reservedBytes == 0 || reservedBytes + bytes <= budgetBytes;
    }
}
