package io.penstock.job;

import io.penstock.core.fate.Counts;

/**
 * What an index must hold after a load. Where documents may have been written more than once before an answer came (a
 * resend, a resume), the number is only known within bounds, and the bounds are what is checked.
 *
 * @param least fewest documents that fit what was acknowledged
 * @param most most documents that fit it
 * @param binding whether a count outside proves that something is wrong; not when others may write to the index
 */
record Verification(long least, long most, boolean binding) {
    /**
     * @param before documents in the index before the job
     * @param counts what the job did
     * @param ownIds whether every id was made by the job, so that no two documents share one
     * @param resent whether any document may have been sent twice
     */
    static Verification of(long before, Counts counts, boolean ownIds, boolean resent) {
        boolean binding = (before == 0 || ownIds) && counts.elsewhere() == 0;
        if (ownIds && before == 0) {
            return new Verification(counts.indexed(), counts.indexed(), binding);
        }
        long removed = counts.deleted() - counts.absent();
        long least = before + counts.created() - removed - (resent ? counts.absent() : 0);
        long most = before + counts.created() - removed + counts.perhapsOurs();
        return new Verification(Math.max(0, least), most, binding);
    }

    boolean fits(long counted) {
        return counted >= least && counted <= most;
    }

    /** The number to print beside what was counted. */
    long expected(long counted) {
        return Math.clamp(counted, least, most);
    }
}
