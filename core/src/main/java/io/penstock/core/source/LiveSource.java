package io.penstock.core.source;

import io.penstock.core.document.Position;
import java.time.Duration;
import java.util.Optional;

/**
 * A source that others go on writing to, that may be shared between readers on several machines, and that keeps by
 * itself how far each target has read it: a topic. It has one partition, whose positions count what this reader has
 * read; {@link #locate} says where that is stored. Safe for several threads.
 */
public interface LiveSource extends Source, AutoCloseable {
    /**
     * Says for whom it is read, before it is opened for a load. Opened without, it is read from its beginning and
     * nothing is kept.
     *
     * @param target a name of the index that no other index shares, also not one of the same name later
     * @param reader a name that no other reader has while this one lives, and the one that comes after it has again
     * @param kept what an earlier call for this target gave, if there was one
     * @param fromTheBeginning whether to forget how far the target has read
     * @return what to keep with the target
     * @throws SourceException with {@link SourceException.Reason#CHANGED} if it is not the source that the target was
     *     filled from
     */
    String readFor(String target, String reader, Optional<String> kept, boolean fromTheBeginning)
            throws SourceException;

    /** Everything before this position is safe in the target. */
    void commit(Position position);

    /** What there is that has not been read yet, by this reader or another of the same target; as last seen. */
    Lag lag();

    /** Whether another reader has had a part of it for the same target since this one was opened. */
    boolean isShared();

    /**
     * How far reading is behind.
     *
     * @param records records not yet read, at most; gaps left by compaction count
     * @param age how long ago the next one was written, about
     * @param trouble why that is not known at the moment, or nothing
     */
    record Lag(long records, Duration age, Optional<String> trouble) {
        /** Before anything is known. */
        public static final Lag UNKNOWN = new Lag(Long.MAX_VALUE, Duration.ZERO, Optional.empty());
    }

    /**
     * Commits what is safe and lets others have what was ours.
     *
     * @throws SourceException if that could not be written down: the next reader gets some documents once more
     */
    @Override
    void close() throws SourceException;
}
