package io.penstock.core.window;

/**
 * What was seen while one window size was in force.
 *
 * @param nanos how long
 * @param documents documents acknowledged in that time
 * @param requests requests that ended
 * @param pushedBack of these, how many the server pushed back
 * @param timedOut of these, how many had no answer in time
 * @param full share of the time in which the window was full, 0 to 1: when it was not, something else is the limit
 * @param slowestNanos time of the slowest request
 */
public record Sample(
        long nanos, long documents, int requests, int pushedBack, int timedOut, double full, long slowestNanos) {
    /** Documents acknowledged per second. */
    public double documentsPerSecond() {
        return nanos == 0 ? 0 : documents * 1e9 / nanos;
    }
}
