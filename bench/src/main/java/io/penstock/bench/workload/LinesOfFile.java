package io.penstock.bench.workload;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Documents of the user's own, one on each line; the first of a large file are enough. */
final class LinesOfFile implements Workload {
    private static final int LINES_MAX = 200_000;

    private final List<byte[]> lines;
    private int next;

    LinesOfFile(Path file) {
        try (Stream<String> all = Files.lines(file)) {
            lines = all.filter(line -> !line.isBlank())
                    .limit(LINES_MAX)
                    .map(line -> (line + "\n").getBytes(StandardCharsets.UTF_8))
                    .toList();
        } catch (IOException | java.io.UncheckedIOException e) {
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
