package io.penstock.job;

import io.penstock.core.checkpoint.DurabilityBarrier;
import io.penstock.core.delivery.BulkTransport;
import java.util.Optional;

/** An index that is loaded, pinned when it was found: the write index behind an alias stays the same one. */
public interface TargetIndex {
    /** The concrete index, or the data stream. */
    String name();

    /** The index's own id, which a deleted and re-created index does not share; the empty text for a data stream. */
    String uuid();

    /** Whether acknowledged writes wait for a flush or a background sync before they are safe. */
    boolean hasAsyncTranslog();

    /**
     * Guards against the index coming back by itself: after this, writes go through an alias of the load's own and ask
     * for it to be one, so that they fail when the index is deleted, instead of making a new index with a guessed
     * mapping.
     *
     * @return why there is no such guard, or nothing
     */
    Optional<String> guard(String alias);

    /** Takes the guard away. */
    void unguard(String alias);

    /** Documents that a search would find, after a refresh on every shard. */
    long countAfterRefresh();

    /** How bulk requests reach it, with the user's ingest pipeline. */
    BulkTransport transport(Optional<String> pipeline);

    /** What makes acknowledged writes safe. */
    DurabilityBarrier barrier();
}
