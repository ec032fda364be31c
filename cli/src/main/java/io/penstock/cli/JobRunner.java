package io.penstock.cli;

import io.penstock.cluster.Cluster;
import io.penstock.cluster.ClusterOptions;
import io.penstock.core.source.SourceException;
import io.penstock.core.time.Clock;
import io.penstock.job.ExitCode;
import io.penstock.job.Job;
import io.penstock.job.JobPlan;
import io.penstock.job.JobReport;
import java.io.PrintWriter;
import java.util.function.Supplier;
import picocli.CommandLine;

/** Runs one job for a verb: connects, shows progress, listens to signals, prints the summary. */
final class JobRunner {
    private final PrintWriter out;
    private final PrintWriter err;
    private final OutputOptions output;
    private final ProgressOptions progress;

    JobRunner(CommandLine commandLine, OutputOptions output, ProgressOptions progress) {
        this.out = commandLine.getOut();
        this.err = commandLine.getErr();
        this.output = output;
        this.progress = progress;
    }

    /** Makes a plan with the cluster at hand. */
    @FunctionalInterface
    interface Planner {
        JobPlan plan(Cluster cluster, Job.JobListener listener) throws SourceException;
    }

    /** What is wrong with a command is to be said before a cluster is asked, or a local one started. */
    @FunctionalInterface
    interface Check {
        void check() throws SourceException;
    }

    int run(Check first, Supplier<ClusterOptions> options, Planner planner) {
        try {
            first.check();
            return run(options.get(), planner);
        } catch (SourceException e) {
            err.println("penstock: " + Text.printable(String.valueOf(e.getMessage())));
            return ExitCode.SOURCE.number();
        }
    }

    private int run(ClusterOptions options, Planner planner) throws SourceException {
        try (var cluster = new Cluster(options);
                var printer = new ProgressPrinter(
                        progress.style(output.common.quiet), output.common.quiet, err, Clock.SYSTEM)) {
            cluster.facts();
            JobPlan plan = planner.plan(cluster, printer);
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
