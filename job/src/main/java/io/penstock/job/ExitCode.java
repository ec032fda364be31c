package io.penstock.job;

import java.util.Collection;
import java.util.List;

/** How a command ended, as scripts see it. The numbers are a promise; 3 is the JVM's own for lack of memory. */
public enum ExitCode {
    OK(0),
    BUG(1),
    USAGE(2),
    DEAD_LETTERS(4),
    SOURCE(5),
    TARGET_UNUSABLE(6),
    TARGET_REFUSES(7),
    LOCAL_STATE(8),
    TOO_MANY_REJECTS(9),
    VERIFICATION(10),
    SETTINGS_NOT_RESTORED(11),
    CUT_OVER(12),
    HANGUP(129),
    INTERRUPT(130),
    TERMINATE(143);

    /** When several apply, the first of these is returned. A bug and bad usage come before all. */
    private static final List<ExitCode> ORDER = List.of(
            BUG,
            USAGE,
            SETTINGS_NOT_RESTORED,
            VERIFICATION,
            LOCAL_STATE,
            TOO_MANY_REJECTS,
            TARGET_REFUSES,
            TARGET_UNUSABLE,
            SOURCE,
            CUT_OVER,
            HANGUP,
            INTERRUPT,
            TERMINATE,
            DEAD_LETTERS,
            OK);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    /** What the process returns. */
    public int number() {
        return number;
    }

    /** The one that counts among several. */
    public static ExitCode first(Collection<ExitCode> codes) {
        return ORDER.stream().filter(codes::contains).findFirst().orElse(OK);
    }
}
