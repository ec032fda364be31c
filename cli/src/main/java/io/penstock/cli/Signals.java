package io.penstock.cli;

import io.penstock.job.ExitCode;
import java.io.PrintWriter;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Turns SIGINT, SIGTERM and SIGHUP into an orderly end; a second one ends the process at once. Nothing is lost by that:
 * the next run of the same command goes on from the last checkpoint.
 *
 * <p>A shutdown hook would not do: while one runs, the JVM does not react to a second signal. What does is
 * {@code sun.misc.Signal}, in the supported module {@code jdk.unsupported}; it is reached by reflection because javac
 * warns of it in a way that nothing turns off.
 */
final class Signals {
    private static final Map<String, ExitCode> CODES =
            Map.of("INT", ExitCode.INTERRUPT, "TERM", ExitCode.TERMINATE, "HUP", ExitCode.HANGUP);

    private Signals() {}

    static void handle(Consumer<ExitCode> stop, PrintWriter err) {
        var first = new AtomicBoolean(true);
        CODES.forEach((name, code) -> handle(name, () -> {
            if (first.getAndSet(false)) {
                err.println();
                err.println("penstock: stopping: requests in flight may take up to 10 s more, again to end at once");
                err.flush();
                stop.accept(code);
            } else {
                Runtime.getRuntime().halt(code.number());
            }
        }));
    }

    private static void handle(String name, Runnable action) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object ours = Proxy.newProxyInstance(
                    Signals.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        action.run();
                        return null;
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), ours);
        } catch (ReflectiveOperationException e) {
            // This platform has no such signal, or the JVM keeps it: it ends the process as it always does.
        }
    }
}
