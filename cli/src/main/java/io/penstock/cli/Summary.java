package io.penstock.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.core.fate.Counts;
import io.penstock.job.JobReport;
import java.io.PrintWriter;

/** Prints how a job ended: a few lines for people, or the JSON object that scripts are promised. Stateless. */
final class Summary {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Summary() {}

    static void print(JobReport report, OutputOptions output, PrintWriter out, PrintWriter err) {
        for (String message : report.messages()) {
            err.println("penstock: " + Text.printable(message));
        }
        if (output.isJson()) {
            out.println(json(report).toPrettyString());
        } else if (!output.common.quiet && report.counts().read() > 0) {
            text(report, out);
        }
        out.flush();
        err.flush();
    }

    private static void text(JobReport report, PrintWriter out) {
        Counts counts = report.counts();
        // A cluster that copies by itself does not tell how many bytes.
        String bytes = counts.bytes() == 0 ? "" : ", %.1f MB/s".formatted(report.megabytesPerSecond());
        out.printf(
                "%s: %,d documents indexed in %.1f s: %,.0f docs/s%s%n",
                report.index(), counts.indexed(), report.seconds().total(), report.documentsPerSecond(), bytes);
        out.printf("  %s%n", counts.equation());
        report.window()
                .ifPresent(window -> out.printf(
                        "  window %s: %s; %,d requests, %,d pushed back, p99 %.0f ms%n",
                        window,
                        report.windowReason(),
                        report.requests().sent(),
                        report.requests().rejected(),
                        report.requests().p99Ms()));
        report.verified()
                .ifPresent(verified ->
                        out.printf("  counted %,d, expected %,d%n", verified.counted(), verified.expected()));
        if (counts.deadLettered() > 0) {
            report.deadLetters().ifPresent(file -> out.printf("  dead letters: %s (see 'penstock dlq list')%n", file));
        }
    }

    static ObjectNode json(JobReport report) {
        Counts counts = report.counts();
        ObjectNode json = JSON.createObjectNode();
        json.put("job", report.job()).put("index", report.index()).put("status", status(report));
        json.putObject("documents")
                .put("read", counts.read())
                .put("indexed", counts.indexed())
                .put("deleted", counts.deleted())
                .put("superseded", counts.superseded())
                .put("dropped", counts.dropped())
                .put("deadLettered", counts.deadLettered())
                .put("retried", counts.retried());
        json.putObject("bytes")
                .put("read", counts.bytes())
                .put("sent", report.requests().bytes());
        json.putObject("seconds")
                .put("total", rounded(report.seconds().total()))
                .put("load", rounded(report.seconds().load()))
                .put("finish", rounded(report.seconds().finish()));
        json.putObject("rate")
                .put("docsPerSecond", rounded(report.documentsPerSecond()))
                .put("mbPerSecond", rounded(report.megabytesPerSecond()));
        json.putObject("requests")
                .put("sent", report.requests().sent())
                .put("rejected", report.requests().rejected())
                .put("tooLarge", report.requests().tooLarge())
                .put("p50Ms", rounded(report.requests().p50Ms()))
                .put("p99Ms", rounded(report.requests().p99Ms()));
        ObjectNode window = json.putObject("window");
        report.window()
                .ifPresent(size -> window.put("bulkBytes", size.bulkBytes()).put("concurrency", size.concurrency()));
        window.put("reason", report.windowReason());
        if (report.verified().isPresent()) {
            json.putObject("verified")
                    .put("expected", report.verified().get().expected())
                    .put("counted", report.verified().get().counted());
        } else {
            json.putNull("verified");
        }
        json.putObject("settings").put("restored", report.settingsRestored());
        if (report.deadLetters().isPresent()) {
            json.put("deadLetters", report.deadLetters().get().toString());
        } else {
            json.putNull("deadLetters");
        }
        return json;
    }

    private static String status(JobReport report) {
        return switch (report.exit()) {
            case OK -> "ok";
            case DEAD_LETTERS -> "rejects";
            case HANGUP, INTERRUPT, TERMINATE -> "interrupted";
            default -> "failed";
        };
    }

    private static double rounded(double value) {
        return Math.round(value * 1000) / 1000.0;
    }
}
