package io.penstock.cli;

import io.penstock.job.FinishPlan;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What is done when everything is loaded, and with which settings it is loaded. */
final class FinishOptions {
    @Option(names = "--alias", paramLabel = "NAME", description = "Moved onto the index when all is well, at once.")
    @Nullable
    String alias;

    @Option(
            names = "--force-merge",
            paramLabel = "N|off",
            defaultValue = "off",
            description = "Merge each shard into N segments at the end. Default: off.")
    String forceMerge = "off";

    @Option(
            names = "--keep-old",
            paramLabel = "N",
            description = "Delete what the alias stood for more than N cut-overs ago. Default: keep all.")
    @Nullable
    Integer keepOld;

    @Option(names = "--keep-settings", description = "Leave refresh, replicas and translog of the index as they are.")
    boolean keepSettings;

    @Option(
            names = "--verify",
            paramLabel = "HOW",
            defaultValue = "count",
            description = "At the end: count, sample (reads some back too) or off. Default: count.")
    String verify = "count";

    /**
     * The plan.
     *
     * @param index the index that is loaded
     * @param aliasByDefault the alias to move when none is named
     */
    FinishPlan plan(String index, Optional<String> aliasByDefault) {
        if (!List.of("count", "sample", "off").contains(verify)) {
            throw new UsageException("--verify is count, sample or off, not '%s'".formatted(verify));
        }
        boolean counted = !verify.equals("off");
        Optional<String> moved = alias == null ? aliasByDefault : Optional.of(alias);
        moved.ifPresent(name -> checkAlias(name, index, counted));
        if (keepOld != null && (moved.isEmpty() || keepOld < 0)) {
            throw new UsageException("--keep-old is 0 or more, and needs --alias");
        }
        return new FinishPlan(
                counted,
                verify.equals("sample"),
                segmentsMax(),
                moved,
                keepOld == null ? OptionalInt.empty() : OptionalInt.of(keepOld));
    }

    private static void checkAlias(String name, String index, boolean counted) {
        IndexNames.check(name);
        if (name.equals(index)) {
            throw new UsageException(
                    "--alias %s is what --index names too: load into an index of another name, and the alias moves onto it"
                            .formatted(name));
        }
        if (!counted) {
            throw new UsageException("--alias needs --verify count: an alias never moves onto an unverified index");
        }
    }

    private OptionalInt segmentsMax() {
        if (forceMerge.equals("off")) {
            return OptionalInt.empty();
        }
        try {
            int segments = Integer.parseInt(forceMerge);
            if (segments > 0) {
                return OptionalInt.of(segments);
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new UsageException("--force-merge is a number of segments from 1, or off, not '" + forceMerge + "'");
    }
}
