package io.penstock.microbench;

import io.penstock.bench.workload.Bytes;
import io.penstock.bench.workload.Workload;
import io.penstock.bench.workload.Workloads;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Documents a second on one core; the aim is a million, so that making them is never what limits an experiment. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class WorkloadBenchmark {
    private static final int BUFFER_BYTES = 1 << 20;

    @Param({"systembase", "apache", "nyc-taxis", "catalog"})
    String name = "";

    private Workload workload = Workloads.named("systembase", 0);
    private final Bytes bytes = new Bytes();

    @Setup
    public void open() {
        workload = Workloads.named(name, 2013);
    }

    @Benchmark
    public int document() {
        if (bytes.length() > BUFFER_BYTES) {
            bytes.clear();
        }
        workload.next(bytes);
        return bytes.length();
    }
}
