package io.penstock.core.fate;

/**
 * How many documents have ended where. A value; add two with {@link #plus}.
 *
 * @param read documents read from the source
 * @param created documents the server made
 * @param updated documents the server wrote over an older one of the same id
 * @param perhapsOurs of the updated ones, those sent more than once, which may have been made by the first try
 * @param deleted documents deleted, or that were not there to delete
 * @param absent of the deleted ones, those that were not there
 * @param superseded documents of which the index holds a newer version
 * @param dropped documents that an ingest pipeline dropped
 * @param deadLettered documents in the dead letters
 * @param retried times a document was sent again
 * @param bytes bytes of the documents as the source had them
 * @param elsewhere documents that the source itself addressed to another index than the load's
 * @param named documents that came with an id of their own
 */
public record Counts(
        long read,
        long created,
        long updated,
        long perhapsOurs,
        long deleted,
        long absent,
        long superseded,
        long dropped,
        long deadLettered,
        long retried,
        long bytes,
        long elsewhere,
        long named) {
    /** Nothing counted yet. */
    public static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Documents that are in the index because of this load. */
    public long indexed() {
        return created + updated;
    }

    /** The sum, field by field. */
    public Counts plus(Counts other) {
        return new Counts(
                read + other.read,
                created + other.created,
                updated + other.updated,
                perhapsOurs + other.perhapsOurs,
                deleted + other.deleted,
                absent + other.absent,
                superseded + other.superseded,
                dropped + other.dropped,
                deadLettered + other.deadLettered,
                retried + other.retried,
                bytes + other.bytes,
                elsewhere + other.elsewhere,
                named + other.named);
    }

    /** Whether every document read has ended in exactly one place: promise 1. */
    public boolean addsUp() {
        return read == indexed() + deleted + superseded + dropped + deadLettered;
    }

    /** Documents the server has answered for good: what any printed rate counts. */
    public long acknowledged() {
        return indexed() + deleted + superseded + dropped;
    }

    /** The equation with its numbers, for a message. */
    public String equation() {
        return "read %,d = indexed %,d + deleted %,d + superseded %,d + dropped %,d + dead-lettered %,d"
                .formatted(read, indexed(), deleted, superseded, dropped, deadLettered);
    }
}
