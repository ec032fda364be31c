package io.penstock.job;

import io.penstock.core.checkpoint.DurabilityBarrier;
import io.penstock.core.delivery.BulkTransport;
import io.penstock.envelope.EnvelopedIndex;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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

    /**
     * Looks for documents in the index as they were read, as far as it can tell: one that an ingest pipeline may have
     * changed need only be there, and one of which the index has another version is passed over.
     *
     * @param pipeline the user's ingest pipeline
     * @return a sentence for each that is not there, or not the same
     */
    List<String> differences(List<SampledDocument> documents, Optional<String> pipeline);

    /** Which of these ids a search does not find; at most 10,000 of them. */
    Set<String> absent(Set<String> ids);

    /** What was {@linkplain #note noted} with it. */
    Optional<String> noted(String key);

    /** Keeps a text with the index, for whoever loads it later, from wherever; it goes when the index goes. */
    void note(String key, String text);

    /** How bulk requests reach it, with the user's ingest pipeline. */
    BulkTransport transport(Optional<String> pipeline);

    /** What makes acknowledged writes safe. */
    DurabilityBarrier barrier();

    /** Its settings, to change them for a load; of a data stream, those of the index that is written to now. */
    EnvelopedIndex enveloped();

    /** Documents, segments and copies at one moment. */
    Health health();

    /**
     * Begins to merge into so many segments a shard; returns when it is done or has not ended within some seconds.
     * Whether it still goes on, {@link #isMerging} says.
     */
    void beginForceMerge(int segmentsMax);

    /** Whether a force-merge of this index is under way, whoever began it. */
    boolean isMerging();

    /** Most segments that any shard has. */
    int segmentsMax();

    /**
     * How far an index's copies are.
     *
     * @param status {@code green}, {@code yellow} or {@code red}
     * @param shards shards with all their copies
     * @param active copies that can be searched
     * @param initializing copies that are being made
     * @param recovered percent of the bytes of the copies being made that are there
     */
    record Health(String status, int shards, int active, int initializing, int recovered) {}
}
