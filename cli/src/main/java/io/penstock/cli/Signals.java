package io.penstock.cli;

import io.penstock.job.ExitCode;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import sun.misc.Signal;

/**
 * Turns SIGINT, SIGTERM and SIGHUP into an orderly end; a second one ends the process at once. Nothing is lost by that:
 * the next run of the same command goes on from the last checkpoint.
 */
final class Signals {
    private static final Map<String, ExitCode> CODES =
            Map.of("INT", ExitCode.INTERRUPT, "TERM", ExitCode.TERMINATE, "HUP", ExitCode.HANGUP);

    private Signals() {}

    static void handle(Consumer<ExitCode> stop, PrintWriter err) {
        var first = new AtomicBoolean(true);
        CODES.forEach((name, code) -> {
            try {
                Signal.handle(new Signal(name), signal -> {
                    if (first.getAndSet(false)) {
                        err.println();
                        err.println("penstock: stopping: requests in flight may take up to 10 s more, again to end at once");
                        err.flush();
                        stop.accept(code);
                    } else {
                        Runtime.getRuntime().halt(code.number());
                    }
                });
            } catch (IllegalArgumentException e) {
                // This platform has no such signal, or the JVM keeps it.
            }
        });
    }
}
