package io.penstock.bench.trial;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;

/** The cluster's own {@code _reindex} with {@code slices=auto}: the yardstick of {@code penstock reindex}. */
final class ServerReindex {
    private static final long POLL_MILLIS = 100;

    private final Rest servers;
    private final BooleanSupplier stopped;
    private volatile long acknowledged;

    ServerReindex(Rest servers, BooleanSupplier stopped) {
        this.servers = servers;
        this.stopped = stopped;
    }

    /** Documents written so far; from any thread. */
    long acknowledged() {
        return acknowledged;
    }

    /** Runs it to its end as a task, so that no connection has to stay open for so long. */
    Loaded run(String source, String index) throws InterruptedException {
        long began = System.nanoTime();
        String task = servers.call(
                        "POST",
                        "/_reindex?slices=auto&refresh=true&wait_for_completion=false",
                        "{\"source\":{\"index\":\"%s\"},\"dest\":{\"index\":\"%s\"}}".formatted(source, index))
                .path("task")
                .asText();
        List<double[]> rates = new ArrayList<>();
        double before = 0;
        JsonNode state;
        boolean cancelled = false;
        do {
            Thread.sleep(POLL_MILLIS);
            if (stopped.getAsBoolean() && !cancelled) {
                servers.call("POST", "/_tasks/" + task + "/_cancel", "");
                cancelled = true;
            }
            state = servers.get("/_tasks/" + task);
            double now = (System.nanoTime() - began) / 1e9;
            long created = state.at("/task/status/created").asLong(); // of slices that are done
            if (now - before >= 1 && created > acknowledged) {
                rates.add(new double[] {now, (created - acknowledged) / (now - before)});
                before = now;
                acknowledged = created;
            }
        } while (!state.path("completed").asBoolean());
        double seconds = (System.nanoTime() - began) / 1e9;
        acknowledged = state.at("/response/created").asLong();
        JsonNode failures = state.at("/response/failures");
        boolean failed = state.has("error") || !failures.isEmpty();
        return new Loaded(
                acknowledged,
                acknowledged,
                seconds,
                seconds,
                -1,
                failures.size(),
                new Histogram(3),
                rates,
                0,
                0,
                1,
                "",
                failed
                        ? "the cluster's _reindex failed: "
                                + state.at("/error/reason")
                                        .asText(failures.path(0).toString())
                        : null);
    }
}
