package io.penstock.core.document;

import org.jspecify.annotations.Nullable;

/**
 * One document as a source gave it: an operation, the address it goes to, its bytes and where it came from.
 *
 * <p>Lives until it is written into a batch; nothing keeps it longer, as its {@linkplain Body body} may be borrowed.
 *
 * @param operation what to do
 * @param id the document's {@code _id}; null when the source has none, and then one is made from the job and the
 *     position
 * @param routing the routing value, or null for the server's default (the id)
 * @param version the external version, or {@link #NO_VERSION}
 * @param index the index that the source names for this document, or null for the load's own
 * @param extraMetadata further members of the action line as JSON text without braces, for example
 *     {@code "pipeline":"p"}, or null
 * @param body the bytes of the body line, without line end; empty for a delete
 * @param position where it begins in its partition
 */
public record Document(
        Operation operation,
        @Nullable String id,
        @Nullable String routing,
        long version,
        @Nullable String index,
        @Nullable String extraMetadata,
        Body body,
        Position position)
        implements Reading {
    /** The value of {@link #version()} when there is none; external versions are not negative. */
    public static final long NO_VERSION = -1;

    /** A document with a body and nothing else known about it. */
    public static Document of(Operation operation, Body body, Position position) {
        return new Document(operation, null, null, NO_VERSION, null, null, body, position);
    }
}
