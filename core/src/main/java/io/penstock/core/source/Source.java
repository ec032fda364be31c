package io.penstock.core.source;

import io.penstock.core.document.Position;
import java.util.List;
import java.util.OptionalLong;

/** Where documents come from. Used by one thread. */
public interface Source {
    /** What people call it, for messages. */
    String name();

    /** Its partitions, in the order in which they are read; fixed once asked for. */
    List<Partition> partitions();

    /**
     * Opens a partition so that the first reading begins at {@code from}.
     *
     * @throws SourceException if it cannot be opened, or is shorter than {@code from}
     */
    SourceReader open(Partition partition, Position from) throws SourceException;

    /**
     * Checks that a partition is still what it was when {@link #partitions()} was asked.
     *
     * @throws SourceException with {@link SourceException.Reason#CHANGED} or {@link SourceException.Reason#GONE}
     */
    void checkUnchanged(Partition partition) throws SourceException;

    /** Whether a later run can read from a position again; false for a pipe. */
    boolean isResumable();

    /** Where a position is in what is stored, as people look it up. */
    default Place locate(Partition partition, Position position) {
        return new Place(partition.name(), position);
    }

    /**
     * A position with the part of the source that it is in.
     *
     * @param partition a file's path, or topic and partition
     */
    record Place(String partition, Position position) {}

    /**
     * How many documents of different ids it holds; nothing when it cannot tell, or when it changed while it was read.
     * Asked after everything was read.
     */
    default OptionalLong documents() {
        return OptionalLong.empty();
    }
}
