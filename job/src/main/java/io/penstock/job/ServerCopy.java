package io.penstock.job;

import io.penstock.core.source.Partition;
import java.util.List;
import java.util.Optional;

/**
 * Port: a cluster that copies slices of one of its indices into another by itself, each as a task of its own that goes
 * on whether anybody watches it or not. Every call blocks, and throws {@link TargetException} when it cannot answer.
 */
public interface ServerCopy {
    /** How many slices it copies at once. */
    int atOnce();

    /**
     * Begins to copy a slice.
     *
     * @param into the name that is written to
     * @param guarded whether that is an alias, so that the copy fails when it is gone
     * @param documentsPerSecond most documents a second; infinity for no limit
     * @return the task's id, or nothing when it is not known whether it began
     */
    Optional<String> begin(Partition slice, String into, boolean guarded, double documentsPerSecond);

    /** How far a task is; nothing if the cluster knows no such task. */
    Optional<Progress> progress(String task);

    /** Changes the speed of a task that runs. */
    void rethrottle(String task, double documentsPerSecond);

    /** Asks a task to end. */
    void cancel(String task);

    /** Tasks that copy into this name, whoever began them. */
    List<String> tasks(String into);

    /**
     * How far a task is.
     *
     * @param ended whether it is over
     * @param total documents of the slice
     * @param created documents made
     * @param updated documents written over older ones
     * @param superseded documents of which the other index has the same version or a newer one
     * @param retries bulk requests sent again
     * @param refused whether it ended because the other index refuses a document
     * @param failure why it ended before its end
     */
    record Progress(
            boolean ended,
            long total,
            long created,
            long updated,
            long superseded,
            long retries,
            boolean refused,
            Optional<String> failure) {
        long copied() {
            return created + updated + superseded;
        }
    }
}
