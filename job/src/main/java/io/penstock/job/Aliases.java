package io.penstock.job;

import java.util.Optional;
import java.util.SortedSet;

/** The aliases of a cluster. Every call blocks, and throws {@link TargetException} when the cluster cannot answer. */
public interface Aliases {
    /** Concrete indices that an alias stands for; none if there is no such alias. */
    SortedSet<String> behind(String alias);

    /**
     * Moves an alias from the indices it stands for onto one, all at once, with the filter and routing it had; nothing
     * changes if it does not stand for exactly {@code from} any more.
     *
     * @return why it did not happen, or nothing when the cluster says that it has
     */
    Optional<String> move(String alias, SortedSet<String> from, String to);

    /** Notes in an index which ones it took an alias from, so that a later cut-over knows how old they are. */
    void noteReplaced(String index, SortedSet<String> replaced);

    /** What {@link #noteReplaced} noted. */
    SortedSet<String> replacedBy(String index);

    /** Deletes an index that no alias stands for; says why not otherwise. */
    Optional<String> deleteUnused(String index);

    /**
     * The request that moves an alias back from {@code to} to where it is now, ready to paste into a terminal; asked
     * for before it is moved.
     */
    String rollback(String alias, String to);
}
