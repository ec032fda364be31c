package io.penstock.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One process of the system, told apart from later ones with the same number by the time it began.
 *
 * @param pid its number, 0 for none
 * @param startedMillis when it began, milliseconds since 1970
 */
record NodeProcess(long pid, long startedMillis) {
    static final NodeProcess NONE = new NodeProcess(0, 0);

    /**
     * The system counts from its own start, and each JVM adds its own idea of when that was, whole seconds apart after
     * the clock was set. A number does not come back so soon.
     */
    private static final long CLOCK_SLACK_MILLIS = 2_500;

    /** A node that flushes much data on a slow disk needs this long to end well. */
    private static final Duration TERM_LIMIT = Duration.ofSeconds(30);

    private static final Duration KILL_LIMIT = Duration.ofSeconds(10);

    private static final Duration SIGNAL_LIMIT = Duration.ofSeconds(10);

    /** The process as it is now. */
    static NodeProcess of(ProcessHandle handle) {
        return new NodeProcess(handle.pid(), startMillis(handle));
    }

    /** The process with that number, if there is one. */
    static Optional<NodeProcess> of(long pid) {
        return ProcessHandle.of(pid).map(NodeProcess::of);
    }

    /** Whether it still runs and is the same one. */
    boolean running() {
        return handle().isPresent();
    }

    /** Ends those that are still the same ones: SIGTERM to all of them, and SIGKILL to who does not obey in time. */
    static void end(List<NodeProcess> processes) {
        processes.forEach(NodeProcess::terminate);
        long deadline = System.nanoTime() + TERM_LIMIT.toNanos();
        for (NodeProcess process : processes) {
            if (!process.awaitEnd(Duration.ofNanos(deadline - System.nanoTime()))) {
                process.kill();
            }
        }
    }

    private void terminate() {
        handle().ifPresent(handle -> {
            // A frozen process would take the signal only when it goes on.
            resume();
            handle.destroy();
        });
    }

    /** SIGKILL to it, if it is still the same one; returns when it is gone. */
    void kill() {
        handle().ifPresent(ProcessHandle::destroyForcibly);
        if (!awaitEnd(KILL_LIMIT)) {
            throw new NodeException(
                    NodeException.Reason.ENVIRONMENT,
                    "Process " + pid + " does not end, even killed: the disk it writes to may hang.");
        }
    }

    /** SIGSTOP to it, if it is still the same one. */
    void pause() {
        signal("STOP");
    }

    /** SIGCONT to it, if it is still the same one. */
    void resume() {
        signal("CONT");
    }

    private boolean awaitEnd(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (running()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            pauseBriefly();
        }
        return true;
    }

    /** Waits as long as it takes for something to change that has no notification. */
    static void pauseBriefly() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException interrupted) {
            throw NodeException.interrupted();
        }
    }

    private Optional<ProcessHandle> handle() {
        return pid <= 0
                ? Optional.empty()
                : ProcessHandle.of(pid)
                        .filter(ProcessHandle::isAlive)
                        .filter(handle -> Math.abs(startMillis(handle) - startedMillis) <= CLOCK_SLACK_MILLIS)
                        .filter(handle -> !isZombie(pid));
    }

    private void signal(String name) {
        if (!running()) {
            return;
        }
        try {
            Command.run(SIGNAL_LIMIT, Path.of("/"), List.of("kill", "-" + name, Long.toString(pid)));
        } catch (IOException failed) {
            throw new NodeException(
                    NodeException.Reason.ENVIRONMENT, "The command kill cannot be run: check the PATH.", failed);
        }
    }

    /** Dead, but not yet collected: in a container nobody may ever collect it. Linux only; elsewhere never. */
    private static boolean isZombie(long pid) {
        try {
            return isZombie(Files.readString(Path.of("/proc/" + pid + "/stat")));
        } catch (IOException noSuchFile) {
            return false;
        }
    }

    /** While other threads of a dead process are still ending (fields 3 and 20), it holds its ports and files. */
    static boolean isZombie(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
        return fields.length > 17 && fields[0].equals("Z") && Integer.parseInt(fields[17]) <= 1;
    }

    private static long startMillis(ProcessHandle handle) {
        return handle.info()
                .startInstant()
                .map(instant -> instant.toEpochMilli())
                .orElse(0L);
    }
}
