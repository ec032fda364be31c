package io.penstock.bench.workload;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Documents of the user's own, one on each line; the first of a large file are enough. */
final class LinesOfFile implements Workload {
    private static final long BYTES_MAX = 32 << 20;

    private final List<byte[]> lines = new ArrayList<>();
    private int next;

    LinesOfFile(Path file) {
        try (BufferedReader in = Files.newBufferedReader(file)) {
            long bytes = 0;
            for (String line = in.readLine(); line != null && bytes < BYTES_MAX; line = in.readLine()) {
                if (!line.isBlank()) {
                    lines.add((line + "\n").getBytes(StandardCharsets.UTF_8));
                    bytes += line.length();
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("the workload %s cannot be read: %s".formatted(file, e.getMessage()), e);
        }
        if (lines.isEmpty()) {
            throw new IllegalArgumentException("the workload %s has no documents".formatted(file));
        }
    }

    @Override
    public String mapping() {
        return "{}";
    }

    @Override
    public String query() {
        return "{\"match_all\":{}}";
    }

    @Override
    public void next(Bytes to) {
        to.put(lines.get(next++ % lines.size()));
    }
}
