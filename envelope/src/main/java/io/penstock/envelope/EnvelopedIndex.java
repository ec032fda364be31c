package io.penstock.envelope;

import java.util.Map;
import java.util.Optional;

/**
 * Port: one concrete index whose settings are changed for a load. Every call blocks; an unchecked exception means that
 * the cluster could not be asked, and nothing else about what it did.
 */
public interface EnvelopedIndex {
    /** The concrete index; of a data stream, the backing index that is written to. */
    String name();

    /** What the cluster says now, or nothing if there is no such index any more. */
    Optional<State> read();

    /** Writes the journal down, beside whatever else the mapping's {@code _meta} holds. */
    void write(Journal journal);

    /** Takes the journal away. */
    void erase();

    /**
     * Changes index settings in one request; empty takes a setting away.
     *
     * @return why the cluster refuses it, or nothing
     */
    Optional<String> change(Map<String, Optional<String>> settings);

    /** Like {@link #change}, for persistent cluster settings. */
    Optional<String> changeCluster(Map<String, Optional<String>> settings);

    /** Whether the envelope of another index has cluster settings changed. */
    boolean isClusterChangedElsewhere();

    /** The request that {@link #change} would send, ready to paste into a terminal. */
    String request(Map<String, Optional<String>> settings);

    /**
     * An index and its cluster at one moment.
     *
     * @param settings index settings that are set, by their full names
     * @param clusterSettings persistent cluster settings that are set
     * @param journal the journal of an envelope, if there is one
     */
    record State(Map<String, String> settings, Map<String, String> clusterSettings, Optional<Journal> journal) {}
}
