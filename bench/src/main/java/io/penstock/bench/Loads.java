package io.penstock.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Runs loads of one index that is empty before each, by Penstock or by the bare loader, each as a fresh process. */
final class Loads {
    private static final String INDEX = "bench";
    private static final Duration LONG_ENOUGH = Duration.ofHours(2);
    private static final int TERMINATED = 143;

    private final Path home;
    private final Path state;
    private final Servers servers;
    private final String refreshInterval;
    private final @Nullable Path recordings;
    private final AtomicInteger recording = new AtomicInteger();

    /**
     * @param home the repository with the launcher
     * @param recordings folder for a JFR recording of each load by Penstock, or null for none
     */
    Loads(Path home, Path work, Servers servers, String refreshInterval, @Nullable Path recordings) {
        this.home = home;
        this.state = work.resolve("state");
        this.servers = servers;
        this.refreshInterval = refreshInterval;
        this.recordings = recordings;
    }

    /** A whole load by Penstock, which must end well. */
    Child.Outcome penstock(Path file, String... options) throws IOException, InterruptedException {
        return checked(load(file, LONG_ENOUGH, options), 0);
    }

    /** As much of a load as fits into the time; its progress tells how fast it was. */
    Child.Outcome penstockFor(Duration time, Path file, String... options) throws IOException, InterruptedException {
        Child.Outcome outcome = load(file, time, options);
        return checked(outcome, outcome.exit() == 0 ? 0 : TERMINATED);
    }

    private Child.Outcome load(Path file, Duration time, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                home.resolve("penstock").toString(),
                "load",
                file.toString(),
                "--index",
                INDEX,
                "--format",
                "ndjson",
                "--target",
                servers.url(),
                "--state",
                state.toString(),
                "--restart",
                "--keep-settings", // both sides load into the same index settings
                "--output",
                "json",
                "--progress",
                "json"));
        command.addAll(List.of(options));
        var program = new ProcessBuilder(command);
        if (recordings != null) {
            Path to = recordings.resolve("load-" + recording.incrementAndGet() + ".jfr");
            program.environment().put("PENSTOCK_JAVA_OPTS", "-XX:StartFlightRecording=settings=profile,filename=" + to);
        }
        return onFreshIndex(program, time);
    }

    /** A whole load into an index that it makes itself, with the cluster's default settings. */
    Child.Outcome intoNewIndex(Path file, List<String> options) throws IOException, InterruptedException {
        servers.dropIndex(INDEX);
        List<String> words = new ArrayList<>(List.of("load", file.toString(), "--index", INDEX, "--format", "ndjson"));
        words.addAll(options);
        try {
            return command(words.toArray(String[]::new));
        } finally {
            servers.dropIndex(INDEX);
        }
    }

    /** Any command of Penstock against the servers, from its beginning, which must end well. */
    Child.Outcome command(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(home.resolve("penstock").toString()));
        command.addAll(List.of(words));
        command.addAll(List.of(
                "--target",
                servers.url(),
                "--state",
                state.toString(),
                "--restart",
                "--output",
                "json",
                "--progress",
                "json"));
        return checked(Child.run(new ProcessBuilder(command), LONG_ENOUGH), 0);
    }

    /** A whole load by the bare loader, in a JVM with the options of the launcher's. */
    Child.Outcome bare(Path file, boolean serverIds) throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var program = new ProcessBuilder(
                java,
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                BareLoader.class.getName(),
                servers.url(),
                INDEX,
                file.toString(),
                serverIds ? "server" : "sequential");
        return checked(onFreshIndex(program, LONG_ENOUGH), 0);
    }

    private Child.Outcome onFreshIndex(ProcessBuilder program, Duration time) throws IOException, InterruptedException {
        servers.freshIndex(INDEX, refreshInterval);
        try {
            return Child.run(program, time);
        } finally {
            servers.dropIndex(INDEX);
        }
    }

    /** From the first look at the cluster to the served index, as the summary says. */
    static double totalSeconds(Child.Outcome penstock) {
        return penstock.output().path("seconds").path("total").asDouble();
    }

    /** Documents per second as the summary says: acknowledged, from the first byte read to the last reply. */
    static double docsPerSecond(Child.Outcome penstock) {
        return penstock.output().path("rate").path("docsPerSecond").asDouble();
    }

    /**
     * Documents acknowledged per second between two readings of the progress: the first at or after {@code from}
     * seconds and the last.
     */
    static double docsPerSecond(List<JsonNode> progress, double from) {
        List<JsonNode> steady = progress.stream()
                .filter(line -> line.path("seconds").asDouble() >= from)
                .toList();
        if (steady.size() < 2) {
            throw new IllegalStateException("the load ended before it could be measured: it needs a larger file");
        }
        JsonNode first = steady.getFirst();
        JsonNode last = steady.getLast();
        return (last.path("acknowledged").asDouble()
                        - first.path("acknowledged").asDouble())
                / (last.path("seconds").asDouble() - first.path("seconds").asDouble());
    }

    private static Child.Outcome checked(Child.Outcome outcome, int expected) {
        if (outcome.exit() != expected) {
            throw new IllegalStateException("a load ended with " + outcome.exit() + ": " + outcome.messages());
        }
        return outcome;
    }
}
