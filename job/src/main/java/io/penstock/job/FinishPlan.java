package io.penstock.job;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * What is done with an index when everything is loaded.
 *
 * @param counted whether documents are counted; without that no alias is moved
 * @param sampled whether some documents are also read back and compared
 * @param segmentsMax segments of each shard after a force-merge, or nothing for none
 * @param alias the alias to move onto the index at the end
 * @param keepOld how many indices that the alias stood for before are kept, or nothing for all
 */
public record FinishPlan(
        boolean counted, boolean sampled, OptionalInt segmentsMax, Optional<String> alias, OptionalInt keepOld) {
    /** Counts, and does nothing else. */
    public static final FinishPlan COUNT =
            new FinishPlan(true, false, OptionalInt.empty(), Optional.empty(), OptionalInt.empty());

    public FinishPlan {
        if (alias.isPresent() && !counted) {
            throw new IllegalArgumentException("an alias is moved only onto an index whose documents were counted");
        }
    }
}
