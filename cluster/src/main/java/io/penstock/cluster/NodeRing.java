package io.penstock.cluster;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Chooses the node for each request: the one that would be done soonest, judged by what it has under way and how long
 * its answers took lately. A node that fails is left alone for a while, twice as long each time. Thread-safe; time is
 * an argument.
 */
final class NodeRing {
    private static final Duration FIRST_REST = Duration.ofSeconds(1);
    private static final Duration LONGEST_REST = Duration.ofSeconds(30);
    private static final double WEIGHT_OF_NEWEST = 0.3;

    /** One node. Its fields belong to the ring's lock. */
    static final class Node {
        private final URI uri;
        private int underWay;
        private double answerNanos;
        private int failures;
        private long restUntil;
        private boolean resting;

        private Node(URI uri) {
            this.uri = uri;
        }

        URI uri() {
            return uri;
        }
    }

    private final List<Node> nodes = new ArrayList<>();
    private int turn;

    NodeRing(List<URI> uris) {
        uris.forEach(uri -> nodes.add(new Node(uri)));
    }

    synchronized List<URI> uris() {
        return nodes.stream().map(Node::uri).toList();
    }

    synchronized int size() {
        return nodes.size();
    }

    /** Takes the best node for one request. When all are at rest, the one that is soonest ready. */
    synchronized Node take(long nowNanos) {
        turn++;
        Node best = nodes.get(turn % nodes.size());
        for (int i = 1; i < nodes.size(); i++) {
            Node candidate = nodes.get((turn + i) % nodes.size());
            if (isBetter(candidate, best, nowNanos)) {
                best = candidate;
            }
        }
        best.underWay++;
        return best;
    }

    /** The request on this node was answered, whatever the answer. */
    synchronized void answered(Node node, long tookNanos) {
        node.underWay--;
        node.failures = 0;
        node.resting = false;
        node.answerNanos = node.answerNanos == 0
                ? tookNanos
                : node.answerNanos * (1 - WEIGHT_OF_NEWEST) + tookNanos * WEIGHT_OF_NEWEST;
    }

    /** The node did not answer. */
    synchronized void failed(Node node, long nowNanos) {
        node.underWay--;
        long rest = Math.min(LONGEST_REST.toNanos(), FIRST_REST.toNanos() << Math.min(node.failures, 10));
        node.failures++;
        node.resting = true;
        node.restUntil = nowNanos + rest;
    }

    private static boolean isBetter(Node one, Node other, long nowNanos) {
        boolean oneRests = one.resting && one.restUntil - nowNanos > 0;
        boolean otherRests = other.resting && other.restUntil - nowNanos > 0;
        if (oneRests != otherRests) {
            return otherRests;
        }
        return oneRests ? one.restUntil - other.restUntil < 0 : cost(one) < cost(other);
    }

    private static double cost(Node node) {
        return (node.underWay + 1) * Math.max(1, node.answerNanos);
    }
}
