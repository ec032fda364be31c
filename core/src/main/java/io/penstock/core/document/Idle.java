package io.penstock.core.document;

/** Nothing has arrived for a moment: the source is a pipe or a topic, and what has been read so far should go out. */
public record Idle() implements Reading {
    /** The only one needed. */
    public static final Idle IDLE = new Idle();
}
