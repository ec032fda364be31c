package io.penstock.core.fate;

/** The one place in which a document ends. */
public enum Fate {
    /** The server made the document with this write. */
    CREATED,
    /** The server wrote it over an older one with the same id, or already had it from an earlier try of ours. */
    UPDATED,
    /** A delete was carried out. */
    DELETED,
    /** A delete was carried out and there was nothing to delete. */
    ABSENT,
    /** The index holds a newer version of the same id. */
    SUPERSEDED,
    /** An ingest pipeline of the user's dropped it. */
    DROPPED,
    /** It is in the dead letters, with the reason. */
    DEAD_LETTERED
}
