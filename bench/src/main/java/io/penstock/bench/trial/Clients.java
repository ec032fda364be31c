package io.penstock.bench.trial;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.bench.BenchException;
import io.penstock.bench.experiment.Setup;
import io.penstock.bench.workload.Workload;
import io.penstock.cluster.PlainRequests;
import io.penstock.job.TargetException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.ConcurrentHistogram;
import org.jspecify.annotations.Nullable;

/**
 * Clients that have one bulk under way each: the next one goes when the answer is there (closed loop), or with a rate,
 * when its time has come (open loop). In an open loop a bulk's time counts from when it should have been sent, so that
 * a server that keeps all clients waiting does not look fast (coordinated omission); bulks that should have been sent
 * and were not by the end count with the time they had waited until then.
 *
 * <p>A document counts when its own item in the answer says that it was taken. A bulk's time counts once, when it has
 * its end, unless all of it was rejected.
 */
final class Clients {
    private static final int SECONDS_MAX = 200_000;
    private static final byte[] ALL_WELL = "{\"errors\":false}".getBytes(StandardCharsets.US_ASCII);
    private static final long RESEND_MILLIS = 100;
    private static final long HIGHEST_MICROS = TimeUnit.HOURS.toMicros(1);
    private static final long WHOLE_LOAD_HOURS = 24;

    private final PlainRequests http;
    private final List<URI> nodes;
    private final String path;
    private final Setup setup;
    private final List<Bulk> bulks;
    private final BooleanSupplier stopped;

    private final AtomicLongArray perSecond = new AtomicLongArray(SECONDS_MAX);
    private final ConcurrentHistogram micros = new ConcurrentHistogram(HIGHEST_MICROS, 3);
    private final LongAccumulator lastAnswer = new LongAccumulator(Math::max, Long.MIN_VALUE);
    private final LongAdder acknowledged = new LongAdder();
    private final LongAdder measured = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder waitedNanos = new LongAdder();
    private final LongAdder activeNanos = new LongAdder();
    private final AtomicLong toSend;
    private volatile @Nullable String trouble;
    private long began;
    private long measureFrom;
    private long until;

    /** @param stopped whether to end early */
    Clients(Rest servers, String index, Setup setup, Workload workload, BooleanSupplier stopped) {
        this.http = servers.http();
        this.nodes = servers.nodes();
        // With every status only where they are needed: for a thousand documents it is a long answer.
        this.path = "/" + index + "/_bulk?filter_path=errors,"
                + (setup.resend() ? "items.*.status,items.*.error.type" : "items.*.error.type");
        this.setup = setup;
        this.stopped = stopped;
        this.bulks = Bulk.prepared(workload, setup.bulkDocuments(), setup.bulkBytes());
        this.toSend = new AtomicLong(setup.documents().orElse(Long.MAX_VALUE));
    }

    /** Documents acknowledged so far; from any thread. */
    long acknowledged() {
        return acknowledged.sum();
    }

    Loaded run() throws InterruptedException {
        int clients = setup.clients().orElse(1);
        double cpuBefore = cpuSeconds();
        began = System.nanoTime();
        boolean whole = setup.documents().isPresent();
        measureFrom = whole ? began : began + (long) (setup.warmUpSeconds() * 1e9);
        until = whole ? began + TimeUnit.HOURS.toNanos(WHOLE_LOAD_HOURS) : measureFrom + (long) (setup.seconds() * 1e9);
        lastAnswer.accumulate(began);
        try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
            List<Future<?>> running = new ArrayList<>();
            for (int client = 0; client < clients; client++) {
                int number = client;
                running.add(threads.submit(() -> {
                    long from = System.nanoTime();
                    loop(number, clients);
                    activeNanos.add(overlap(from, System.nanoTime()));
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new BenchException(BenchException.Reason.FAILED, "a client broke: %s".formatted(e.getCause()), e);
        }
        double seconds = whole ? (lastAnswer.get() - began) / 1e9 : setup.seconds();
        return new Loaded(
                acknowledged.sum(),
                measured.sum(),
                seconds,
                (System.nanoTime() - began) / 1e9,
                rejected.sum(),
                failed.sum(),
                micros,
                timeline(),
                cpuSeconds() - cpuBefore,
                0,
                setup.rate().isPresent() ? 1 : waitedNanos.sum() / (double) Math.max(1, activeNanos.sum()),
                "",
                trouble);
    }

    private static double cpuSeconds() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getProcessCpuTime() / 1e9
                : 0;
    }

    private List<double[]> timeline() {
        // The last second is not a whole one, unless it is the only one.
        int length = Math.max(1, (int) ((lastAnswer.get() - began) / 1_000_000_000L));
        List<double[]> timeline = new ArrayList<>();
        for (int second = 0; second < Math.min(length, SECONDS_MAX); second++) {
            timeline.add(new double[] {second + 1, perSecond.get(second)});
        }
        return timeline;
    }

    /** How much of a time is measured. */
    private long overlap(long from, long to) {
        return Math.max(0, Math.min(to, until) - Math.max(from, measureFrom));
    }

    private void loop(int number, int clients) throws InterruptedException {
        URI node = nodes.get(number % nodes.size());
        // Each begins somewhere else, so that not all send the same documents.
        int next = (int) ((long) number * bulks.size() / clients);
        double due =
                began + (setup.rate().isPresent() ? number * 1e9 / setup.rate().getAsLong() : 0);
        while (trouble == null && !stopped.getAsBoolean()) {
            Bulk bulk = bulks.get(next++ % bulks.size());
            long left = toSend.getAndAdd(-bulk.documents());
            if (left <= 0) {
                return;
            }
            bulk = bulk.first((int) Math.min(left, bulk.documents()));
            if (setup.rate().isEmpty()) {
                due = System.nanoTime();
            }
            if (due - until > 0 || !waitUntil((long) due)) {
                return;
            }
            if (System.nanoTime() - until > 0) {
                micros.recordValue(Math.min(HIGHEST_MICROS, (until - (long) due) / 1_000)); // never sent
            } else if (!send(node, bulk, (long) due)) {
                return;
            }
            if (setup.rate().isPresent()) {
                due += bulk.documents() * (double) clients * 1e9 / setup.rate().getAsLong();
            }
        }
    }

    private boolean waitUntil(long due) throws InterruptedException {
        long wait = due - System.nanoTime();
        if (wait > 0) {
            TimeUnit.NANOSECONDS.sleep(wait);
        }
        return !stopped.getAsBoolean();
    }

    /** Sends a bulk, and what was rejected of it again where that is wanted. */
    private boolean send(URI node, Bulk bulk, long due) throws InterruptedException {
        Bulk left = bulk;
        int taken = 0;
        while (true) {
            long from = System.nanoTime();
            PlainRequests.Answer answer;
            try {
                answer = http.send("POST", node, path, left.body());
            } catch (TargetException e) {
                trouble = String.valueOf(e.getMessage());
                return false;
            }
            long now = System.nanoTime();
            waitedNanos.add(overlap(from, now));
            List<Integer> again = count(left, answer, now);
            taken += left.documents() - again.size();
            if (again.isEmpty() || !setup.resend() || now - until > 0 || stopped.getAsBoolean()) {
                boolean counts = due - measureFrom >= 0 && (setup.rate().isPresent() || now - until <= 0);
                if (counts && taken > 0) {
                    micros.recordValue(Math.min(HIGHEST_MICROS, (now - due) / 1_000));
                }
                return true;
            }
            left = left.only(again);
            TimeUnit.MILLISECONDS.sleep(RESEND_MILLIS);
            waitedNanos.add(overlap(now, System.nanoTime()));
        }
    }

    /** Counts what an answer says, and gives the places of what was rejected. */
    private List<Integer> count(Bulk bulk, PlainRequests.Answer answer, long now) {
        List<Integer> pushedBack = new ArrayList<>();
        int lost = 0;
        if (answer.isOk() && !Arrays.equals(answer.body(), ALL_WELL)) {
            JsonNode json = Rest.json(answer.body());
            if (!json.has("errors")) {
                trouble = "the cluster's answer to a bulk makes no sense";
            }
            int place = 0;
            for (JsonNode item : json.path("items")) {
                String type = item.findPath("type").asText("");
                if (isPushBack(type)) {
                    pushedBack.add(place);
                } else if (!type.isEmpty()) {
                    lost++;
                    trouble = "documents were refused: " + type;
                }
                place++;
            }
        } else if (answer.status() == 429 || answer.status() == 503) {
            for (int place = 0; place < bulk.documents(); place++) {
                pushedBack.add(place);
            }
        } else if (!answer.isOk()) {
            trouble = "a bulk was refused (HTTP %d)".formatted(answer.status());
            lost = bulk.documents();
        }
        int good = bulk.documents() - pushedBack.size() - lost;
        acknowledged.add(good);
        perSecond.addAndGet((int) Math.min(SECONDS_MAX - 1, (now - began) / 1_000_000_000L), good);
        lastAnswer.accumulate(now);
        if (now - measureFrom > 0 && now - until <= 0) {
            measured.add(good);
            rejected.add(pushedBack.size());
            failed.add(lost);
        }
        return pushedBack;
    }

    private static boolean isPushBack(String type) {
        return type.endsWith("rejected_execution_exception") || type.equals("circuit_breaking_exception");
    }
}
