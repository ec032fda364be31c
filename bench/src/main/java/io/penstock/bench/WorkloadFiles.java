package io.penstock.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The workload's files, each written once and kept for the next run. */
final class WorkloadFiles {
    private static final long SEED = 2013;

    private final Path folder;

    WorkloadFiles(Path folder) {
        this.folder = folder;
    }

    /** A file with so many documents. */
    Path documents(long count) throws IOException {
        Path file = Files.createDirectories(folder).resolve("systembase-" + count + ".ndjson");
        if (!Files.exists(file)) {
            // Complete or not there: an interrupted run must not leave a shorter file under the name.
            Path part = folder.resolve(file.getFileName() + ".part");
            try (OutputStream out = Files.newOutputStream(part)) {
                new SystembaseWorkload(SEED).write(out, count);
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        }
        return file;
    }
}
