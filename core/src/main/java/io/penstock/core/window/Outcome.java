package io.penstock.core.window;

/** How a request ended, as far as the window learns from it: every permit ends in exactly one of these. */
public enum Outcome {
    /** The server took everything or judged each document: the time it took says something about its load. */
    ANSWERED,
    /** The server said it has too much to do, for some items or for the whole request. */
    PUSHED_BACK,
    /** No answer within the deadline. */
    TIMED_OUT,
    /** The request says nothing about load: refused connections, blocked indices, bodies too large. */
    IGNORED
}
