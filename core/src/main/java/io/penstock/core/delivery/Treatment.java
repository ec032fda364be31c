package io.penstock.core.delivery;

/** What is done about an answer; the right-hand side of the {@link Triage} table. */
public enum Treatment {
    PUSHED_BACK("send it again later, with less in flight"),
    WAIT("pause and send it again; this is no overload, so what may be in flight stays"),
    UNAVAILABLE("send it again later"),
    CONFIRM("read what the index holds and decide"),
    REJECT("dead letter"),
    BISECT("halve the request until the one document at fault is alone"),
    SPLIT("halve the request; a document too large alone is a dead letter"),
    STOP("stop: the target refuses (exit 7)"),
    TRY_ACCESS_AGAIN("one more try, then stop: the target refuses (exit 7)"),
    UNKNOWN("three more tries, then stop: the target refuses (exit 7)"),
    OUR_FAULT("stop: a bug (exit 1)");

    private final String words;

    Treatment(String words) {
        this.words = words;
    }

    /** What it means, for the documentation. */
    public String words() {
        return words;
    }
}
