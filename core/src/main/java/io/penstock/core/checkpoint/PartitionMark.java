package io.penstock.core.checkpoint;

import io.penstock.core.document.Position;

/**
 * How far one partition is done.
 *
 * @param name the partition's name
 * @param fingerprint the partition's fingerprint when the load began
 * @param position everything before it has its end
 * @param done whether the whole partition has
 */
public record PartitionMark(String name, String fingerprint, Position position, boolean done) {}
