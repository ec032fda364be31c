package io.penstock.bench.workload;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Set;
import java.util.TreeSet;

/** The workloads by their names. */
public final class Workloads {
    /** What {@link #named} knows, beside files. */
    public static final Set<String> NAMES =
            new TreeSet<>(Set.of("systembase", "systembase-big", "apache", "nyc-taxis", "catalog"));

    private static final int WRITE_BYTES = 1 << 20;

    private Workloads() {}

    /**
     * One of {@link #NAMES}, or a file of NDJSON, which begins again where it ends.
     *
     * @throws IllegalArgumentException if there is none, or the file cannot be read; the message is for people
     */
    public static Workload named(String name, long seed) {
        return switch (name) {
            case "systembase" -> new Systembase(seed, false);
            case "systembase-big" -> new Systembase(seed, true);
            case "apache" -> new Apache(seed);
            case "nyc-taxis" -> new Taxis(seed);
            case "catalog" -> new Catalog(seed);
            default -> {
                if (!name.endsWith(".ndjson") && !name.endsWith(".jsonl") && !name.endsWith(".json")) {
                    throw new IllegalArgumentException(
                            "there is no workload '%s': take %s, or a file that ends with .ndjson"
                                    .formatted(name, String.join(", ", NAMES)));
                }
                yield new LinesOfFile(Path.of(name));
            }
        };
    }

    /** A file with so many documents of a workload, written once and kept. */
    public static Path file(Path folder, String name, long seed, long documents) throws IOException {
        if (!NAMES.contains(name)) {
            return Path.of(name);
        }
        Path file = Files.createDirectories(folder).resolve("%s-%d-%d.ndjson".formatted(name, seed, documents));
        if (!Files.exists(file)) {
            // Complete or not there: an interrupted run must not leave a shorter file under the name.
            Path part = folder.resolve(file.getFileName() + ".part");
            try (OutputStream out = Files.newOutputStream(part)) {
                write(named(name, seed), documents, out);
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        }
        return file;
    }

    /** Writes the next documents of a workload. */
    public static void write(Workload workload, long documents, OutputStream to) throws IOException {
        var bytes = new Bytes();
        for (long i = 0; i < documents; i++) {
            workload.next(bytes);
            if (bytes.length() > WRITE_BYTES) {
                bytes.writeTo(to);
                bytes.clear();
            }
        }
        bytes.writeTo(to);
    }
}
