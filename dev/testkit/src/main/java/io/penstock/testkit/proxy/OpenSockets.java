package io.penstock.testkit.proxy;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Every socket of one proxy, so that closing the proxy closes them all. */
final class OpenSockets {

    private final Set<Closeable> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Keeps a socket until it is released; a socket that comes after the end is closed at once. */
    <S extends Closeable> S keep(S socket) throws IOException {
        open.add(socket);
        if (closed) {
            release(socket);
            throw new SocketException("the fault proxy is closed");
        }
        return socket;
    }

    void release(Closeable socket) {
        open.remove(socket);
        try {
            socket.close();
        } catch (IOException alreadyBroken) {
            // A socket that cannot be closed is no longer a way to the other side.
        }
    }

    void closeAll() {
        closed = true;
        open.forEach(this::release);
    }

    boolean isClosed() {
        return closed;
    }

    int count() {
        return open.size();
    }
}
