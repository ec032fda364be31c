package io.penstock.bench.trial;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads what a process has used from {@code /proc}, again and again until it ends: the numbers vanish with it, so the
 * last reading stands. With a reading every 20 ms at most that much CPU for each core is missed. Not thread-safe.
 */
public final class ProcessGauge {
    static final long EVERY_MILLIS = 20;

    /** The kernel shows CPU time in hundredths of a second on every architecture (USER_HZ). */
    private static final double TICKS_PER_SECOND = 100;

    private static final int USER_TICKS = 11;

    private final Path process;
    private double cpuSeconds;
    private long peakBytes;

    public ProcessGauge(long pid) {
        process = Path.of("/proc", Long.toString(pid));
    }

    /** Takes a reading; one that fails because the process has ended changes nothing. */
    public void read() {
        try {
            cpuSeconds = Math.max(cpuSeconds, cpuSeconds(Files.readString(process.resolve("stat"))));
            peakBytes = Math.max(peakBytes, peakBytes(Files.readAllLines(process.resolve("status"))));
        } catch (IOException ended) {
            // the last reading stands
        }
    }

    /** User and system time. */
    public double cpuSeconds() {
        return cpuSeconds;
    }

    /** The most memory it had resident. */
    public long peakBytes() {
        return peakBytes;
    }

    static double cpuSeconds(String stat) {
        // The second field is the program's name in brackets, which may hold anything.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[USER_TICKS + 1])) / TICKS_PER_SECOND;
    }

    static long peakBytes(List<String> status) {
        return status.stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .findFirst()
                .orElse(0);
    }
}
