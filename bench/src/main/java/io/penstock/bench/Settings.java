package io.penstock.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that every experiment has. */
final class Settings {
    @Option(names = "--quick", description = "Short runs that show whether everything works; rough numbers.")
    boolean quick;

    @Option(names = "--rounds", paramLabel = "N", description = "Rounds. Default: 5, with --quick 2.")
    @Nullable
    Integer rounds;

    @Option(
            names = "--work",
            paramLabel = "DIR",
            description = "Folder for workload and servers. Default: penstock-bench in the system's temporary folder.")
    Path work = Path.of(System.getProperty("java.io.tmpdir"), "penstock-bench");

    @Option(names = "--heap", paramLabel = "SIZE", defaultValue = "1g", description = "Heap of a node. Default: 1g.")
    String heap = "1g";

    @Option(
            names = "--refresh-interval",
            paramLabel = "TIME",
            defaultValue = "-1",
            description = "Of each index; 'default' leaves it out. Default: -1.")
    String refreshInterval = "-1";

    @Option(names = "--jfr", paramLabel = "DIR", description = "Keep a flight recording of each load by Penstock.")
    @Nullable
    Path recordings;

    int rounds() {
        return rounds == null ? quick ? 2 : 5 : rounds;
    }

    /** The repository: where the launcher is. */
    Path home() {
        return Path.of(System.getProperty("penstock.home", "")).toAbsolutePath().normalize();
    }

    Path results() {
        return home().resolve("bench").resolve("results-local");
    }

    WorkloadFiles workload() {
        return new WorkloadFiles(work.resolve("workload"));
    }

    Servers start(Servers.Shape shape) {
        return Servers.start(shape, work, heap);
    }

    Loads loads(Servers servers) throws IOException {
        Path folder = recordings == null ? null : Files.createDirectories(recordings.toAbsolutePath());
        return new Loads(home(), work, servers, refreshInterval, folder);
    }

    Report report(String experiment) {
        Map<String, String> circumstances = new LinkedHashMap<>();
        circumstances.put("commit", System.getProperty("penstock.commit", "unknown"));
        circumstances.put(
                "machine",
                "%d x %s, %s, %s %s"
                        .formatted(
                                Runtime.getRuntime().availableProcessors(),
                                line("/proc/cpuinfo", "model name"),
                                line("/proc/meminfo", "MemTotal"),
                                System.getProperty("os.name"),
                                System.getProperty("os.version")));
        circumstances.put("java", System.getProperty("java.runtime.version"));
        circumstances.put("load average before", line("/proc/loadavg", ""));
        circumstances.put(
                "settings",
                "0 replicas, refresh_interval %s, node heap %s, %d rounds%s"
                        .formatted(refreshInterval, heap, rounds(), quick ? ", quick" : ""));
        return new Report(experiment, circumstances);
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

    static void progress(String what) {
        System.err.println(what);
    }
}
