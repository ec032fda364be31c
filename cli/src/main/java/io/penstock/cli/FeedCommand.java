package io.penstock.cli;

import io.penstock.feed.Feed;
import io.penstock.feed.FeedConfig;
import io.penstock.feed.FeedException;
import io.penstock.job.ExitCode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code penstock feed}. */
@Command(
        name = "feed",
        description = "Keeps a compacted Kafka topic of finished documents current with a MariaDB or MySQL database.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Example:",
            "  penstock feed --config catalog.yaml     runs until it is stopped; the same command goes on from there",
            "What the file says is in docs/feed.md; 'penstock load kafka://HOST:PORT/TOPIC' brings the topic into an index.",
            "Exit codes: 5 database, 6 Kafka, 8 state lost; 130 and 143 after a signal.",
        })
final class FeedCommand implements Callable<Integer> {
    private static final long PROGRESS_EVERY_MILLIS = 5_000;

    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    @Option(names = "--config", required = true, paramLabel = "FILE", description = "YAML: database, topic, documents.")
    Path config = Path.of("catalog.yaml");

    @Mixin
    OutputOptions output = new OutputOptions();

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        AtomicReference<@Nullable ExitCode> stoppedBy = new AtomicReference<>();
        Thread progress = null;
        try {
            var feed = new Feed(FeedConfig.read(config), line -> {
                err.println("penstock: " + Text.printable(line));
                err.flush();
            });
            Signals.handle(
                    signal -> {
                        stoppedBy.set(signal);
                        feed.stop();
                    },
                    err);
            if (!output.common.quiet) {
                progress = Thread.ofVirtual().start(() -> show(feed, err));
            }
            feed.run();
            ExitCode signal = stoppedBy.get();
            return signal == null ? 0 : signal.number();
        } catch (FeedException e) {
            err.println("penstock: " + Text.printable(String.valueOf(e.getMessage())));
            return exitCode(e.reason()).number();
        } finally {
            if (progress != null) {
                progress.interrupt();
            }
        }
    }

    private static ExitCode exitCode(FeedException.Reason reason) {
        return switch (reason) {
            case CONFIG -> ExitCode.USAGE;
            case DATABASE -> ExitCode.SOURCE;
            case BROKERS -> ExitCode.TARGET_UNUSABLE;
            case STATE -> ExitCode.LOCAL_STATE;
        };
    }

    private static void show(Feed feed, PrintWriter err) {
        Feed.Progress before = feed.progress();
        try {
            while (true) {
                Thread.sleep(PROGRESS_EVERY_MILLIS);
                Feed.Progress now = feed.progress();
                if (now.rows() != before.rows()) {
                    err.println(String.format(
                            Locale.ROOT,
                            "%s  %,d rows  %,d documents  %,d gone  %,.0f rows/s  behind %.1f s",
                            now.snapshot() ? "snapshot" : "following",
                            now.rows(),
                            now.documents(),
                            now.tombstones(),
                            (now.rows() - before.rows()) * 1000.0 / PROGRESS_EVERY_MILLIS,
                            now.behind().toMillis() / 1000.0));
                    err.flush();
                }
                before = now;
            }
        } catch (InterruptedException e) {
            // The feed has ended.
        }
    }
}
