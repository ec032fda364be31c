package io.penstock.core.event;

import io.penstock.core.document.Position;
import io.penstock.core.fate.Counts;
import io.penstock.core.source.Partition;
import io.penstock.core.window.Outcome;
import io.penstock.core.window.WindowSize;
import java.time.Duration;

/** Something that happened in a load. */
public sealed interface LoadEvent {
    /** A partition is being read from this position on. */
    record PartitionOpened(Partition partition, Position from) implements LoadEvent {}

    /** A batch was read and is on its way; so many bytes of its partition are read, as stored. */
    record BatchRead(int partition, long storedBytesRead, int documents) implements LoadEvent {}

    /** A bulk request is being sent. */
    record RequestStarted(long bytes) implements LoadEvent {}

    /**
     * A bulk request ended.
     *
     * @param documents documents in it
     * @param acknowledged documents that have their end through it
     * @param bytes bytes of its body
     * @param nanos time from first byte sent to last byte read
     * @param trouble why not everything was taken, or the empty text
     * @param tooLarge whether its body was refused as too large
     */
    record RequestEnded(
            Outcome outcome, int documents, int acknowledged, long bytes, long nanos, String trouble, boolean tooLarge)
            implements LoadEvent {}

    /** The window has a new size. */
    record WindowMoved(WindowSize size, String reason) implements LoadEvent {}

    /** A batch has its end; so many documents have theirs by now. */
    record BatchSettled(Counts total) implements LoadEvent {}

    /**
     * A cluster copies by itself.
     *
     * @param documents documents copied so far
     * @param total documents there are, about
     * @param slicesDone slices that are whole
     * @param slices all of them
     */
    record Copied(long documents, long total, int slicesDone, int slices) implements LoadEvent {}

    /**
     * How far a load is behind a source that goes on being written to.
     *
     * @param records records that are not yet in the index, at most
     * @param age how long ago the next one to be read was written, about
     */
    record Behind(long records, Duration age) implements LoadEvent {}

    /** A document went to the dead letters. */
    record DeadLettered(String partition, Position position, String type, String reason) implements LoadEvent {}

    /** A checkpoint is on the disk. */
    record Checkpointed(Counts counts) implements LoadEvent {}

    /** A checkpoint could not be written, or not yet. */
    record CheckpointDelayed(String why) implements LoadEvent {}

    /** Reading has stopped early; what is in flight may still finish. */
    record Draining(String why) implements LoadEvent {}

    /** Something that must not happen; the load stops with a bug. */
    record Failed(Throwable cause) implements LoadEvent {}
}
