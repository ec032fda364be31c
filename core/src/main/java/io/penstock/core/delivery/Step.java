package io.penstock.core.delivery;

/** What a batch needs next. */
public sealed interface Step {
    /** Send these items, in one request. Takes a permit. */
    record Send(int[] items) implements Step {}

    /** Ask what the index holds for these items. */
    record Confirm(int[] items) implements Step {}

    /** Nothing before this time; no permit is held. */
    record Wait(long untilNanos) implements Step {}

    /** Every document has its end. */
    record Settled(Settlement settlement) implements Step {}

    /** The load cannot go on. */
    record Stop(StopReason reason, String message) implements Step {}
}
