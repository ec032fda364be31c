package io.penstock.core.batch;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Step 2 of the load path. Keeps two operations on one id from being under way together, whatever is retried later: a
 * document whose id is in a batch that has not ended waits until it has.
 *
 * <p>Ids are remembered as 64-bit hashes; two ids that share one only make the second wait. Thread-safe.
 */
public final class KeyGate {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition left = lock.newCondition();
    private final Set<Long> underWay = new HashSet<>();

    /** Marks the id as under way, or returns false if it already is. */
    public boolean tryEnter(String id) {
        lock.lock();
        try {
            return underWay.add(hash(id));
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the id is not under way. Only the thread that enters ids may wait, so that it can enter next. */
    public void await(String id) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (underWay.contains(hash(id))) {
                left.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The document has its end; its id is free again. */
    public void leave(Iterable<String> ids) {
        lock.lock();
        try {
            for (String id : ids) {
                underWay.remove(hash(id));
            }
            left.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** How many ids are under way. */
    public int size() {
        lock.lock();
        try {
            return underWay.size();
        } finally {
            lock.unlock();
        }
    }

    /** FNV-1a over the id's chars, finished with the mixer of SplitMix64 (Steele, Lea and Flood, 2014). */
    private static long hash(String id) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < id.length(); i++) {
            hash = (hash ^ id.charAt(i)) * 0x100000001b3L;
        }
        hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
        return hash ^ (hash >>> 31);
    }
}
