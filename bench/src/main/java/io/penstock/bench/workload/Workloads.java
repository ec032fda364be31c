package io.penstock.bench.workload;

import io.penstock.bench.BenchException;
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
     * One of {@link #NAMES}, or the documents of a file, from the beginning again when it ends.
     *
     * @throws BenchException if there is none, or the file cannot be read
     */
    public static Workload named(String name, long seed) {
        return switch (name) {
            case "systembase" -> new Systembase(seed, false);
            case "systembase-big" -> new Systembase(seed, true);
            case "apache" -> new Apache(seed);
            case "nyc-taxis" -> new Taxis(seed);
            case "catalog" -> new Catalog(seed);
            default -> {
                checkName(name);
                yield new DocumentsOfFile(Path.of(name));
            }
        };
    }

    /**
     * Whether it may be one, as far as its name tells: a name with a dot or a slash is a file's.
     *
     * @throws BenchException if not
     */
    public static void checkName(String name) {
        if (!NAMES.contains(name) && !isFile(name)) {
            throw BenchException.usage("there is no workload '%s': take %s, or a file such as ./mine.ndjson"
                    .formatted(name, String.join(", ", NAMES)));
        }
    }

    private static boolean isFile(String name) {
        return name.contains(".") || name.contains("/");
    }

    /**
     * A file with so many documents of a workload, or with fewer if they have more bytes; written once and kept.
     *
     * @throws BenchException if there is no such workload, or its file cannot be read
     */
    public static Path file(Path folder, String name, long seed, long documents, long bytesMax) throws IOException {
        String source = isFile(name) ? stamp(Path.of(name)) : name;
        Path file = Files.createDirectories(folder).resolve("%s-%d-%d.ndjson".formatted(source, seed, documents));
        if (!Files.exists(file)) {
            // Complete or not there: an interrupted run must not leave a shorter file under the name.
            Path part = folder.resolve(file.getFileName() + ".part");
            try (OutputStream out = Files.newOutputStream(part)) {
                write(named(name, seed), documents, bytesMax, out);
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        }
        return file;
    }

    /** Another one when the file has changed. */
    private static String stamp(Path file) {
        try {
            return "%s-%d-%d"
                    .formatted(
                            file.getFileName(),
                            Files.size(file),
                            Files.getLastModifiedTime(file).toMillis());
        } catch (IOException e) {
            throw new BenchException(BenchException.Reason.USAGE, "the workload %s cannot be read".formatted(file), e);
        }
    }

    /** Writes the next documents of a workload. */
    public static void write(Workload workload, long documents, OutputStream to) throws IOException {
        write(workload, documents, Long.MAX_VALUE, to);
    }

    private static void write(Workload workload, long documents, long bytesMax, OutputStream to) throws IOException {
        var bytes = new Bytes();
        long written = 0;
        for (long i = 0; i < documents && written < bytesMax; i++) {
            workload.next(bytes);
            if (bytes.length() > WRITE_BYTES) {
                written += bytes.length();
                bytes.writeTo(to);
                bytes.clear();
            }
        }
        bytes.writeTo(to);
    }
}
