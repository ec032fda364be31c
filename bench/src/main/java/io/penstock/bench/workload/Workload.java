package io.penstock.bench.workload;

/** A stream of documents without end. Not thread-safe. */
public interface Workload {
    /** Mapping (a JSON object) that fits the documents, so that nothing has to be found out while they are indexed. */
    String mapping();

    /** Whether each document comes with an action line of its own: it has an id, or is an update or a delete. */
    default boolean hasActions() {
        return false;
    }

    /** A query (a JSON object) that somebody might search these documents with. */
    String query();

    /** Appends the next document, with the line end, and the action line before it if it has one. */
    void next(Bytes to);
}
