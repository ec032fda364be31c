package io.penstock.core.delivery;

/** Why a load ends before its source does. */
public enum StopReason {
    /** The source is corrupt, cut short, changed or gone. */
    SOURCE,
    /** The target was not usable within the time allowed. */
    TARGET_UNUSABLE,
    /** The target refuses: credentials, index gone, closed or blocked, field limit. */
    TARGET_REFUSES,
    /** The state folder cannot be read, written or locked. */
    LOCAL_STATE,
    /**
     * A server died with acknowledged writes that were not yet on its disk: what is behind the checkpoint is sent
     * again.
     */
    WRITES_LOST,
    /** Nearly everything is rejected for one reason. */
    TOO_MANY_REJECTS,
    /** Something that must not happen. */
    BUG,
    /** Somebody asked for it. */
    INTERRUPTED
}
