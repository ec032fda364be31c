package io.penstock.core.time;

/** Waiting for the end of a thread that must not be left behind. */
public final class Threads {
    private Threads() {}

    /** Waits for its end, however long; who is interrupted meanwhile still is afterwards. */
    public static void joinUninterrupted(Thread thread) {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
