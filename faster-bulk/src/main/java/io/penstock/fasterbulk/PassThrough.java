package io.penstock.fasterbulk;

import java.util.Locale;

/** Why a shard bulk was left to the server as it came. */
enum PassThrough {
    /** The plugin is off, for the cluster or the index. */
    OFF,
    /** It is large enough by itself. */
    LARGE,
    /** It waits for a refresh, and so would those that leave with it. */
    WAITS_FOR_REFRESH,
    /** Its timeout leaves no time to wait. */
    SHORT_TIMEOUT,
    /** The index belongs to the server. */
    SYSTEM_INDEX,
    /** The node holds as many bytes of bulks as it may; the server decides. */
    INDEXING_PRESSURE,
    /** The plugin has failed. */
    ERRORS;

    /** Its name in the statistics. */
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
