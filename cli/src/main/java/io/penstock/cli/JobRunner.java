package io.penstock.cli;

import io.penstock.cluster.Cluster;
import io.penstock.cluster.ClusterOptions;
import io.penstock.core.source.SourceException;
import io.penstock.core.time.Clock;
import io.penstock.job.ExitCode;
import io.penstock.job.Job;
import io.penstock.job.JobPlan;
import io.penstock.job.JobReport;
import io.penstock.source.file.FileOptions;
import java.io.PrintWriter;
import picocli.CommandLine;

/** Runs one job for a verb: connects, shows progress, listens to signals, prints the summary. */
final class JobRunner {
    private final PrintWriter out;
    private final PrintWriter err;
    private final ConnectionOptions connection;
    private final OutputOptions output;
    private final ProgressOptions progress;

    JobRunner(CommandLine commandLine, ConnectionOptions connection, OutputOptions output, ProgressOptions progress) {
        this.out = commandLine.getOut();
        this.err = commandLine.getErr();
        this.connection = connection;
        this.output = output;
        this.progress = progress;
    }

    /** Makes a plan once it is known how large a request may be. */
    @FunctionalInterface
    interface Planner {
        JobPlan plan(long contentBytesMax) throws SourceException;
    }

    int run(boolean sniff, Planner planner) {
        try {
            // What is wrong with the command is said before a cluster is asked, or a local one started.
            planner.plan(FileOptions.DEFAULT_MAX_DOCUMENT_BYTES);
            return run(connection.options(output, sniff, err), planner);
        } catch (SourceException e) {
            err.println("penstock: " + Text.printable(String.valueOf(e.getMessage())));
            return ExitCode.SOURCE.number();
        }
    }

    private int run(ClusterOptions options, Planner planner) throws SourceException {
        try (var cluster = new Cluster(options);
                var printer = new ProgressPrinter(progress.style(output.quiet), output.quiet, err, Clock.SYSTEM)) {
            JobPlan plan = planner.plan(cluster.facts().contentBytesMax());
            printer.expect(plan.source().partitions());
            var job = new Job(plan, cluster, printer, Clock.SYSTEM);
            Signals.handle(job::stop, err);
            JobReport report = job.run();
            printer.finish();
            Summary.print(report, output, out, err);
            return report.exit().number();
        }
    }
}
