package io.penstock.realservers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.core.checkpoint.Checkpoint;
import io.penstock.core.checkpoint.CheckpointStore;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The program as users run it: a process of its own, with a home of its own, so that it can be killed and started
 * again. Everything it starts is ended by {@link #close}. Used by one thread.
 */
public final class Program implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String DEFAULT_HEAP = "256m";
    private static final String SHELL_DEFAULTS = "--default-signal=INT,HUP,TERM,PIPE";

    private final Path home;
    private final List<Running> started = new ArrayList<>();
    private Path state;
    private String heap = DEFAULT_HEAP;
    private List<String> prefix = List.of();
    private Optional<Path> letters = Optional.empty();

    /** @param home an empty folder, for state and for what the program prints */
    public Program(Path home) {
        this.home = home;
        this.state = home.resolve("state");
    }

    /** Heap of its JVM, as in {@code -Xmx}. */
    public Program heap(String wanted) {
        heap = wanted;
        return this;
    }

    /** Its {@code --state}, if not in its home. */
    public Program state(Path wanted) {
        state = wanted;
        return this;
    }

    /** Words before the command, for example a tracer. */
    public Program under(String... words) {
        prefix = List.of(words);
        return this;
    }

    /** Where {@code --dlq} puts dead letters. */
    public Program deadLetters(Path wanted) {
        letters = Optional.of(wanted);
        return this;
    }

    /** The file of dead letters, whether it is there or not. */
    public Path deadLetters() {
        return letters.orElseGet(() -> job().resolve("dead-letters.ndjson"));
    }

    /** Where its {@code --state} is. */
    public Path state() {
        return state;
    }

    /**
     * Starts {@code load FILE -i INDEX} against one address, without looking for other nodes and without an envelope,
     * so that the index has the settings that the test gave it.
     */
    public Running load(URI target, Path file, String index, String... more) {
        return enveloped(
                target,
                file,
                index,
                Stream.concat(Stream.of("--keep-settings"), Stream.of(more)).toArray(String[]::new));
    }

    /** The same under an envelope. */
    public Running enveloped(URI target, Path file, String index, String... more) {
        return start(Stream.concat(
                        Stream.of("load", file.toString(), "-i", index, "-t", target.toString(), "--no-sniff"),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    /** Starts the program with these arguments, {@code --state} and {@code --output json}; its input is empty. */
    public Running start(String... arguments) {
        return start(builder(arguments)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(out(started.size()).toFile()));
    }

    /** As {@link #start}, but the test holds both ends of standard input and output. */
    public Running startWithPipes(String... arguments) {
        return start(builder(arguments));
    }

    private Running start(ProcessBuilder builder) {
        int number = started.size();
        builder.redirectError(err(number).toFile());
        builder.environment().put("HOME", home.toString());
        builder.environment().put("XDG_STATE_HOME", home.resolve("xdg").toString());
        builder.environment().keySet().removeIf(name -> name.startsWith("PENSTOCK_") || name.endsWith("SEARCH_URL"));
        try {
            Running running = new Running(builder.start(), out(number), err(number));
            started.add(running);
            return running;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ProcessBuilder builder(String... arguments) {
        List<String> words = new ArrayList<>(prefix);
        // A build that runs in the background ignores SIGINT, and so would every process it starts.
        words.addAll(List.of("env", SHELL_DEFAULTS));
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(List.of(
                "-Xmx" + heap,
                "-XX:+UseSerialGC",
                "-XX:NewSize=" + (heap.equals(DEFAULT_HEAP) ? "96m" : "8m"), // as the launcher does it
                "-XX:SurvivorRatio=2",
                "-XX:TargetSurvivorRatio=90",
                "-XX:+ExitOnOutOfMemoryError",
                System.getProperty("penstock.tests.jvm", "-XX:TieredStopAtLevel=1"),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "io.penstock.cli.Penstock"));
        words.addAll(List.of(arguments));
        words.addAll(List.of("--state", state.toString(), "--output", "json"));
        letters.filter(file -> arguments[0].equals("load"))
                .ifPresent(file -> words.addAll(List.of("--dlq", file.toString())));
        return new ProcessBuilder(words);
    }

    private Path out(int number) {
        return home.resolve("run-" + number + ".out");
    }

    private Path err(int number) {
        return home.resolve("run-" + number + ".err");
    }

    /** The folder of the only job there is. */
    public Path job() {
        return onlyJob().orElseThrow(() -> new IllegalStateException("no job was begun in " + state));
    }

    private Optional<Path> onlyJob() {
        if (!Files.isDirectory(state.resolve("jobs"))) {
            return Optional.empty();
        }
        try (Stream<Path> jobs = Files.list(state.resolve("jobs"))) {
            List<Path> all = jobs.toList();
            if (all.size() > 1) {
                throw new IllegalStateException("one job was expected: " + all);
            }
            return all.stream().findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the next run would go on from, read as that run reads it. */
    public Optional<Checkpoint> checkpoint() {
        return onlyJob().flatMap(job -> new CheckpointStore(job).read());
    }

    /** How many documents have their end for good. */
    public long checkpointed() {
        return checkpoint().map(checkpoint -> checkpoint.counts().read()).orElse(0L);
    }

    @Override
    public void close() {
        started.forEach(Running::kill);
    }

    /** One process. */
    public static final class Running {
        private final Process process;
        private final Path out;
        private final Path err;

        Running(Process process, Path out, Path err) {
            this.process = process;
            this.out = out;
            this.err = err;
        }

        /** Of the process, or of what it runs under. */
        public long pid() {
            return process.pid();
        }

        /** Whether it has not ended. */
        public boolean isAlive() {
            return process.isAlive();
        }

        /** Its standard input, if it was started with pipes. */
        public OutputStream input() {
            return process.getOutputStream();
        }

        /** Closes our end of the program's standard output, as a pipe's reader that goes away. */
        public void closeOutput() {
            try {
                process.getInputStream().close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** SIGKILL, also to what it runs under; returns when it is gone. */
        public void kill() {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Sends a signal by its name, without SIG. */
        public void signal(String name) throws IOException, InterruptedException {
            new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start().waitFor();
        }

        /** Whether it ends within this time by itself. */
        public boolean endsWithin(Duration limit) throws InterruptedException {
            return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        }

        /** Waits for its end, and fails if it does not come in two minutes. */
        public Ended end() throws InterruptedException {
            return end(Duration.ofMinutes(2));
        }

        /** Waits for its end, and fails if it does not come in this time. */
        public Ended end(Duration limit) throws InterruptedException {
            if (!endsWithin(limit)) {
                kill();
                throw new AssertionError("it did not end within " + limit + ":\n" + text(err));
            }
            return new Ended(process.exitValue(), text(out), text(err));
        }

        /** What it has said so far on standard error. */
        public String said() {
            return text(err);
        }

        /** A figure of {@code /proc/PID/status} in kilobytes, for example the peak of resident memory, VmHWM. */
        public long kilobytes(String name) {
            try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid()), "status"))) {
                return lines.filter(line -> line.startsWith(name + ":"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                        .findFirst()
                        .orElse(0);
            } catch (IOException | UncheckedIOException gone) {
                return 0;
            }
        }

        private static String text(Path file) {
            try {
                return Files.exists(file) ? Files.readString(file) : "";
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** How a process ended, and what it printed. */
    public record Ended(int exit, String out, String err) {
        /** The summary; fails when standard output is not one JSON object and nothing else. */
        public JsonNode summary() {
            try (var values = JSON.readerFor(JsonNode.class).<JsonNode>readValues(out)) {
                List<JsonNode> all = values.readAll();
                if (all.size() != 1) {
                    throw new AssertionError("standard output holds " + all.size() + " values: " + out + err);
                }
                return all.getFirst();
            } catch (IOException e) {
                throw new AssertionError("standard output is no JSON: " + out + err, e);
            }
        }

        /** A count of documents in the summary, by its name there; -1 without one. */
        public long documents(String fate) {
            return summary().path("documents").path(fate).asLong(-1);
        }
    }
}
