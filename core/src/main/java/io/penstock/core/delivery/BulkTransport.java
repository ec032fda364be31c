package io.penstock.core.delivery;

import io.penstock.core.batch.Batch;

/**
 * The port through which batches reach a cluster. Thread-safe; both calls block until there is an answer or the
 * request's own total deadline has passed, and answer with a value in every case: nothing that a network or a server
 * does is an exception.
 */
public interface BulkTransport {
    /** Sends the bytes of these items, ascending, as one bulk request. */
    BulkReply send(Batch batch, int[] items);

    /** Reads what the index holds under the ids of these items, after version conflicts. */
    ConfirmReply confirm(Batch batch, int[] items);
}
