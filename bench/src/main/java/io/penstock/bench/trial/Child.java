package io.penstock.bench.trial;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Runs a program that prints one JSON object, and watches what it uses. Ends it with SIGTERM when its time is up. */
public final class Child {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long GRACE_SECONDS = 60;

    private Child() {}

    /**
     * How a program ended.
     *
     * @param output what it printed; empty if that was nothing
     * @param progress the lines of JSON it wrote to standard error
     * @param messages the other lines there
     * @param seconds from its start to its end
     */
    public record Outcome(
            int exit,
            JsonNode output,
            List<JsonNode> progress,
            List<String> messages,
            double seconds,
            double cpuSeconds,
            long peakBytes) {}

    /**
     * Starts it, waits for its end at most so long or until nobody wants it any more, and then asks it to end.
     *
     * @param onProgress hears each line of JSON that it writes to standard error, on a thread of its own
     */
    public static Outcome run(
            ProcessBuilder program, Duration atMost, BooleanSupplier stopped, Consumer<JsonNode> onProgress)
            throws IOException, InterruptedException {
        long began = System.nanoTime();
        Process process = program.start();
        Thread undertaker = Thread.ofPlatform().unstarted(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(undertaker);
        try {
            List<JsonNode> progress = new ArrayList<>();
            Consumer<JsonNode> heard = onProgress.andThen(progress::add);
            List<String> messages = new ArrayList<>();
            var output = new StringBuilder();
            Thread out = Thread.ofVirtual().start(() -> lines(process.getInputStream(), output::append));
            Thread err = Thread.ofVirtual()
                    .start(() -> lines(process.getErrorStream(), line -> sort(line, heard, messages)));
            ProcessGauge gauge = watch(process, atMost, stopped);
            out.join();
            err.join();
            return new Outcome(
                    process.exitValue(),
                    JSON.readTree(output.toString()),
                    progress,
                    messages,
                    (System.nanoTime() - began) / 1e9,
                    gauge.cpuSeconds(),
                    gauge.peakBytes());
        } finally {
            process.destroyForcibly();
            Runtime.getRuntime().removeShutdownHook(undertaker);
        }
    }

    private static ProcessGauge watch(Process process, Duration atMost, BooleanSupplier stopped)
            throws InterruptedException {
        var gauge = new ProcessGauge(process.pid());
        long end = System.nanoTime() + atMost.toNanos();
        long kill = Long.MAX_VALUE;
        boolean asked = false;
        do {
            gauge.read();
            if (!asked && (System.nanoTime() > end || stopped.getAsBoolean())) {
                process.toHandle().destroy(); // Process.destroy would close the pipes before the summary came
                asked = true;
                kill = System.nanoTime() + TimeUnit.SECONDS.toNanos(GRACE_SECONDS);
            }
            if (System.nanoTime() > kill) {
                process.destroyForcibly();
            }
        } while (!process.waitFor(ProcessGauge.EVERY_MILLIS, TimeUnit.MILLISECONDS));
        return gauge;
    }

    private static void sort(String line, Consumer<JsonNode> progress, List<String> messages) {
        try {
            if (line.startsWith("{")) {
                progress.accept(JSON.readTree(line));
                return;
            }
        } catch (IOException e) {
            // a message after all
        }
        messages.add(line);
    }

    private static void lines(InputStream stream, Consumer<String> to) {
        try (var reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                to.accept(line);
            }
        } catch (IOException e) {
            to.accept("the output broke off: " + e.getMessage());
        }
    }
}
