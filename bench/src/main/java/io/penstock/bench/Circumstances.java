package io.penstock.bench;

import io.penstock.bench.trial.Site;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** What a reader must know to judge figures: when, on what, with which versions. */
public final class Circumstances {
    private Circumstances() {}

    /** As they are now, by name, in the order they are shown. */
    public static Map<String, String> of(Site site, String version) {
        Map<String, String> circumstances = new LinkedHashMap<>();
        circumstances.put("began", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        circumstances.put("Penstock", version);
        circumstances.put("cluster", site.describe());
        circumstances.put(
                "machine",
                "%d x %s, %s of memory, %s %s"
                        .formatted(
                                Runtime.getRuntime().availableProcessors(),
                                line("/proc/cpuinfo", "model name"),
                                line("/proc/meminfo", "MemTotal"),
                                System.getProperty("os.name"),
                                System.getProperty("os.version")));
        circumstances.put("Java", System.getProperty("java.runtime.version"));
        circumstances.put("load average before", line("/proc/loadavg", ""));
        return circumstances;
    }

    private static String line(String file, String begin) {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.filter(line -> line.startsWith(begin))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}
