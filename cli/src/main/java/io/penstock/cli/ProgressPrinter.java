package io.penstock.cli;

import io.penstock.core.event.LoadEvent;
import io.penstock.core.fate.Counts;
import io.penstock.core.source.Partition;
import io.penstock.core.time.Clock;
import io.penstock.core.time.Durations;
import io.penstock.core.window.Outcome;
import io.penstock.core.window.WindowSize;
import io.penstock.job.Job;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows a load while it runs: one line that is written over on a terminal, a line now and then elsewhere, or a JSON
 * line every five seconds. Rates count only acknowledged documents. Thread-safe.
 */
final class ProgressPrinter implements Job.JobListener, AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(ProgressPrinter.class);
    /** Experiments look more closely than scripts. */
    private static final Duration JSON_EVERY = Duration.ofMillis(Long.getLong("penstock.progress.millis", 5_000));

    private static final Duration PLAIN_EVERY = Duration.ofSeconds(5);
    private static final Duration TERMINAL_EVERY = Duration.ofMillis(500);
    private static final Duration RATE_OVER = Duration.ofSeconds(5);

    /** How progress is shown. */
    enum Style {
        TERMINAL,
        PLAIN,
        JSON,
        NONE
    }

    private final Style style;
    private final boolean quiet;
    private final PrintWriter err;
    private final Clock clock;
    private final int columns;
    private final long began;
    private final Thread printer;
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong pushedBack = new AtomicLong();
    private final AtomicLong storedRead = new AtomicLong();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final Deque<long[]> recent = new ArrayDeque<>();
    private volatile Counts counts = Counts.NONE;
    private volatile String window = "1.0 MiB x 2 (start)";
    private volatile String copying = "";
    private volatile String trouble = "";
    private volatile long behind = -1;
    private volatile Duration behindAge = Duration.ZERO;
    private volatile long storedTotal;
    private volatile long storedBefore;
    private volatile boolean loading;
    private volatile boolean closed;

    ProgressPrinter(Style style, boolean quiet, PrintWriter err, Clock clock) {
        this.style = style;
        this.quiet = quiet;
        this.err = err;
        this.clock = clock;
        this.columns = Integer.getInteger("penstock.columns", 100);
        this.began = clock.nanos();
        this.printer = Thread.ofVirtual().name("progress").unstarted(this::print);
        if (style != Style.NONE) {
            printer.start();
        }
    }

    /** The sizes of what is going to be read, for the time it will take. */
    void expect(List<Partition> partitions) {
        boolean known = partitions.stream().noneMatch(partition -> partition.bytes() == Partition.UNKNOWN_SIZE);
        storedTotal = known ? partitions.stream().mapToLong(Partition::bytes).sum() : 0;
    }

    @Override
    public void onStep(String what) {
        if (!quiet && style != Style.JSON) {
            say(what);
        }
    }

    @Override
    public void onWarning(String what) {
        say("penstock: warning: " + what);
    }

    @Override
    public void on(LoadEvent event) {
        switch (event) {
            case LoadEvent.PartitionOpened opened -> {
                loading = true;
                copying = "";
                storedBefore = storedRead.get();
                LOGGER.debug("reading {} from {}", opened.partition().name(), opened.from());
            }
            case LoadEvent.BatchRead read -> storedRead.set(storedBefore + read.storedBytesRead());
            case LoadEvent.RequestStarted started -> inFlight.incrementAndGet();
            case LoadEvent.RequestEnded request -> {
                inFlight.decrementAndGet();
                acknowledged.addAndGet(request.acknowledged());
                if (request.outcome() == Outcome.PUSHED_BACK) {
                    pushedBack.incrementAndGet();
                }
                onTrouble(request.trouble());
            }
            case LoadEvent.WindowMoved moved -> {
                window = text(moved.size()) + " (" + moved.reason() + ")";
                LOGGER.debug("window {}: {}", moved.size(), moved.reason());
            }
            case LoadEvent.BatchSettled settled -> counts = settled.total();
            case LoadEvent.Copied copied -> {
                loading = true;
                acknowledged.set(copied.documents());
                storedRead.set(copied.documents());
                storedTotal = copied.total();
                copying = "%d of %d slices".formatted(copied.slicesDone(), copied.slices());
            }
            case LoadEvent.Behind now -> {
                behind = now.records();
                behindAge = now.age();
            }
            case LoadEvent.DeadLettered dead ->
                LOGGER.debug(
                        "dead letter: {} {}: {}, {}", dead.partition(), dead.position(), dead.type(), dead.reason());
            case LoadEvent.Checkpointed checkpointed ->
                LOGGER.debug("checkpoint: {}", checkpointed.counts().equation());
            case LoadEvent.CheckpointDelayed delayed -> onWarning("no checkpoint for now: " + delayed.why());
            case LoadEvent.Draining draining -> LOGGER.debug("draining: {}", draining.why());
            case LoadEvent.Failed failed -> LOGGER.debug("failed", failed.cause());
        }
    }

    private void onTrouble(String what) {
        String clean = Text.printable(what);
        if (!clean.isEmpty() && trouble.isEmpty() && style != Style.JSON && !quiet) {
            say("the cluster: " + clean + "; sending again");
        }
        trouble = clean;
    }

    private static String text(WindowSize size) {
        return size.toString();
    }

    private void print() {
        Duration every = switch (style) {
            case TERMINAL -> TERMINAL_EVERY;
            case PLAIN, NONE -> PLAIN_EVERY;
            case JSON -> JSON_EVERY;
        };
        try {
            while (!closed) {
                clock.sleep(every);
                if (loading && !closed) {
                    show();
                }
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    private synchronized void show() {
        double rate = rate();
        switch (style) {
            case TERMINAL -> {
                String line = line(rate);
                err.print("\r" + (line.length() < columns ? line : line.substring(0, columns - 1)) + "\u001b[K");
            }
            case PLAIN -> err.println(line(rate));
            case JSON -> err.println(json(rate));
            case NONE -> {}
        }
        err.flush();
    }

    private synchronized void say(String what) {
        err.println((style == Style.TERMINAL ? "\r\u001b[K" : "") + Text.printable(what));
        err.flush();
    }

    private String line(double rate) {
        if (!copying.isEmpty()) {
            return String.format(
                    Locale.ROOT, "%,d docs  %,.0f docs/s  %s%s copied", acknowledged.get(), rate, eta(), copying);
        }
        Counts now = counts;
        double bytesPerDocument = now.read() == 0 ? 0 : (double) now.bytes() / now.read();
        return String.format(
                Locale.ROOT,
                "%,d docs  %s  %,.0f docs/s  %.1f MB/s  %s%s429s %d  dead %d  in flight %d of %s",
                acknowledged.get(),
                ByteSize.text(now.bytes()),
                rate,
                rate * bytesPerDocument / 1e6,
                eta(),
                behindText(),
                pushedBack.get(),
                now.deadLettered(),
                inFlight.get(),
                window);
    }

    private String behindText() {
        return behind < 0
                ? ""
                : String.format(Locale.ROOT, "lag %,d (%.1f s)  ", behind, behindAge.toMillis() / 1000.0);
    }

    private String json(double rate) {
        Counts now = counts;
        return String.format(
                Locale.ROOT,
                "{\"seconds\":%.1f,\"acknowledged\":%d,\"read\":%d,\"bytes\":%d,\"docsPerSecond\":%.1f,\"pushedBack\":%d,\"deadLettered\":%d,%s\"window\":\"%s\"}",
                (clock.nanos() - began) / 1e9,
                acknowledged.get(),
                now.read(),
                now.bytes(),
                rate,
                pushedBack.get(),
                now.deadLettered(),
                behind < 0
                        ? ""
                        : String.format(
                                Locale.ROOT, "\"lag\":%d,\"lagSeconds\":%.1f,", behind, behindAge.toMillis() / 1000.0),
                window.replace("\\", "\\\\").replace("\"", "\\\""));
    }

    private String eta() {
        long read = storedRead.get();
        if (storedTotal <= 0 || read <= 0 || read > storedTotal) {
            return "";
        }
        double seconds = (clock.nanos() - began) / 1e9 * (storedTotal - read) / read;
        return "ETA " + Durations.text(Duration.ofSeconds((long) seconds)) + "  ";
    }

    /** Acknowledged documents per second over the last few seconds. */
    private double rate() {
        long now = clock.nanos();
        recent.addLast(new long[] {now, acknowledged.get()});
        while (recent.size() > 2 && now - recent.getFirst()[0] > RATE_OVER.toNanos()) {
            recent.removeFirst();
        }
        long[] first = recent.getFirst();
        return now == first[0] ? 0 : (acknowledged.get() - first[1]) * 1e9 / (now - first[0]);
    }

    @Override
    public void close() {
        finish();
    }

    /** Shows nothing more, and leaves the terminal on an empty line. */
    void finish() {
        closed = true;
        printer.interrupt();
        synchronized (this) {
            if (style == Style.TERMINAL && loading) {
                err.print("\r\u001b[K");
                err.flush();
            }
        }
    }
}
