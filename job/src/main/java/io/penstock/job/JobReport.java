package io.penstock.job;

import io.penstock.core.fate.Counts;
import io.penstock.core.window.WindowSize;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How a job ended; the summary that people and scripts get.
 *
 * @param job the job's id
 * @param index what was loaded, as it was asked for
 * @param exits every code that applies
 * @param messages one sentence for each thing that went wrong, or that a person should know
 * @param counts over all runs of the job
 * @param countsBefore of the runs before this one
 * @param requests of this run
 * @param seconds of this run
 * @param window the window's last size
 * @param windowReason why it had that size
 * @param verified what was counted, or nothing if it was not
 * @param settingsRestored whether the index has its settings again
 * @param deadLetters the file, if there is any dead letter
 */
public record JobReport(
        String job,
        String index,
        List<ExitCode> exits,
        List<String> messages,
        Counts counts,
        Counts countsBefore,
        Requests requests,
        Seconds seconds,
        Optional<WindowSize> window,
        String windowReason,
        Optional<Verified> verified,
        boolean settingsRestored,
        Optional<Path> deadLetters) {
    /** Bulk requests of one run; times in milliseconds. */
    public record Requests(long sent, long rejected, long tooLarge, long bytes, double p50Ms, double p99Ms) {
        static final Requests NONE = new Requests(0, 0, 0, 0, 0, 0);
    }

    /** Where the time went. */
    public record Seconds(double total, double load, double finish) {}

    /** How many documents there should be, and how many there are. */
    public record Verified(long expected, long counted) {}

    /** The code the process returns. */
    public ExitCode exit() {
        return ExitCode.first(exits);
    }

    /** Documents acknowledged per second of loading, in this run. */
    public double documentsPerSecond() {
        return seconds.load() <= 0 ? 0 : (counts.acknowledged() - countsBefore.acknowledged()) / seconds.load();
    }

    /** Megabytes (10^6) of documents per second of loading, in this run. */
    public double megabytesPerSecond() {
        return seconds.load() <= 0 ? 0 : (counts.bytes() - countsBefore.bytes()) / 1e6 / seconds.load();
    }
}
