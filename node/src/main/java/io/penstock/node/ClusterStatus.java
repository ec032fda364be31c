package io.penstock.node;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * A local cluster as it was found.
 *
 * @param url where requests go: the first running node; empty if none runs
 * @param nodes every node the cluster has, running or not; empty if it was never started
 */
public record ClusterStatus(Optional<URI> url, List<NodeStatus> nodes) {
    public ClusterStatus {
        nodes = List.copyOf(nodes);
    }

    static ClusterStatus of(List<NodeStatus> nodes) {
        return new ClusterStatus(
                nodes.stream().filter(NodeStatus::running).map(NodeStatus::url).findFirst(), nodes);
    }

    /** Whether every node it should have is running. */
    public boolean complete() {
        return !nodes.isEmpty() && nodes.stream().allMatch(NodeStatus::running);
    }
}
