package io.penstock.bench.workload;

import io.penstock.bench.BenchException;
import io.penstock.core.document.Document;
import io.penstock.core.document.EndOfPartition;
import io.penstock.core.document.Operation;
import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceReader;
import io.penstock.source.file.FileOptions;
import io.penstock.source.file.FileSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Documents of the user's own, from a file in any format that {@code penstock load} reads, without their ids; the first
 * of a large file are enough.
 */
final class DocumentsOfFile implements Workload {
    private static final long BYTES_MAX = 32 << 20;

    private final List<byte[]> documents = new ArrayList<>();
    private int next;

    DocumentsOfFile(Path file) {
        try {
            FileSource source = FileSource.of(List.of(file.toString()), FileOptions.defaults());
            try (SourceReader reader = source.open(source.partitions().getFirst(), Position.START)) {
                read(reader);
            }
        } catch (SourceException e) {
            throw new BenchException(
                    BenchException.Reason.USAGE,
                    "the workload %s cannot be read: %s".formatted(file, e.getMessage()),
                    e);
        }
        if (documents.isEmpty()) {
            throw BenchException.usage("the workload %s has no documents".formatted(file));
        }
    }

    private void read(SourceReader reader) throws SourceException {
        long bytes = 0;
        Reading reading = reader.next();
        while (!(reading instanceof EndOfPartition) && bytes < BYTES_MAX) {
            if (reading instanceof Document document && isWhole(document)) {
                byte[] line = line(document);
                documents.add(line);
                bytes += line.length;
            }
            reading = reader.next();
        }
    }

    /** Not what changes or deletes another, in a bulk file. */
    private static boolean isWhole(Document document) {
        return document.operation() == Operation.INDEX || document.operation() == Operation.CREATE;
    }

    private static byte[] line(Document document) {
        byte[] body = document.body().toBytes();
        byte[] line = Arrays.copyOf(body, body.length + 1);
        line[body.length] = '\n';
        return line;
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
        to.put(documents.get(next++ % documents.size()));
    }
}
