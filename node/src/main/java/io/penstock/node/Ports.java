package io.penstock.node;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.random.RandomGenerator;

/** Finds ports of the loopback address that nobody listens on. */
final class Ports {
    /** Below the range from which systems take the ports of outgoing connections (Linux 32768, others 49152). */
    private static final int FIRST = 20_000;

    private static final int UNTIL = 32_000;
    private static final int TRIES = 1_000;

    private Ports() {}

    /** Whether a server could listen there now. */
    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            // As the servers do: a port whose last connections are only fading away is free.
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    /**
     * A free port outside {@code except}; at random, so that two clusters that start together rarely choose the same.
     */
    static int choose(RandomGenerator random, Set<Integer> except) {
        for (int attempt = 0; attempt < TRIES; attempt++) {
            int port = random.nextInt(FIRST, UNTIL);
            if (!except.contains(port) && isFree(port)) {
                return port;
            }
        }
        throw new NodeException(
                NodeException.Reason.ENVIRONMENT,
                "No free port was found on 127.0.0.1 between " + FIRST + " and " + UNTIL + ": end some servers.");
    }
}
