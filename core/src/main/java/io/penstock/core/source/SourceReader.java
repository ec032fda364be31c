package io.penstock.core.source;

import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;

/** Reads one partition, from front to back, once. Used by one thread. */
public interface SourceReader extends AutoCloseable {
    /**
     * The next document, or bad document, or the end. A body returned before is no longer valid after this call, unless
     * it is owned.
     *
     * @throws SourceException when the stream itself is broken: what comes behind cannot be read
     */
    Reading next() throws SourceException;

    /** Where the next reading begins: a reader opened here goes on behind everything returned so far. */
    Position position();

    /** Bytes taken from the stored (compressed) form so far, for progress; an estimate is enough. */
    long storedBytesRead();

    @Override
    void close();
}
