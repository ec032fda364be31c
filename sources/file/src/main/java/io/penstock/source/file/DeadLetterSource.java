package io.penstock.source.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.penstock.core.deadletter.DeadLetterWriter;
import io.penstock.core.document.BadDocument;
import io.penstock.core.document.Body;
import io.penstock.core.document.Document;
import io.penstock.core.document.EndOfPartition;
import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.core.source.Partition;
import io.penstock.core.source.Source;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceReader;
import io.penstock.source.file.bytes.LineReader;
import io.penstock.source.file.bytes.RecordBuffer;
import io.penstock.source.json.Fault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A file of dead letters as a source: each document again, with the id, routing and version it was sent with. A crash
 * can leave a document in the file twice; the second is passed over.
 */
public final class DeadLetterSource implements Source {
    /** A dead letter holds one document and little else; escaping can double its bytes. */
    private static final int LINE_BYTES_MAX = 400 << 20;

    private static final JsonFactory LETTERS = new JsonFactoryBuilder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private final Path file;
    private final Source whole;

    private DeadLetterSource(Path file, Source whole) {
        this.file = file;
        this.whole = whole;
    }

    /** The dead letters in {@code file}. */
    public static DeadLetterSource of(Path file) throws SourceException {
        return new DeadLetterSource(file, FileSource.of(List.of(file.toString()), FileOptions.of(Format.NDJSON)));
    }

    /**
     * One dead letter, for people.
     *
     * @param json the line as it is in the file
     */
    public record Letter(String partition, Position position, int status, String type, String reason, String json) {}

    /** The dead letters in a file, in order, each once; to be closed. */
    public static Stream<Letter> letters(Path file) throws IOException {
        LineReader lines =
                LineReader.open(new RecordBuffer(Files.newInputStream(file), LINE_BYTES_MAX), Position.START);
        Set<String> seen = new HashSet<>();
        var spliterator = new Spliterators.AbstractSpliterator<Letter>(Long.MAX_VALUE, Spliterator.ORDERED) {
            @Override
            public boolean tryAdvance(Consumer<? super Letter> action) {
                try {
                    while (lines.next()) {
                        byte[] line = lines.body().toBytes();
                        if (DeadLetterWriter.isWhole(line)) {
                            Entry entry = Entry.parse(line);
                            if (seen.add(entry.place())) {
                                action.accept(entry.letter(line));
                                return true;
                            }
                        }
                    }
                    return false;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        return StreamSupport.stream(spliterator, false);
    }

    @Override
    public String name() {
        return file.toString();
    }

    @Override
    public List<Partition> partitions() {
        return whole.partitions();
    }

    @Override
    public SourceReader open(Partition partition, Position from) throws SourceException {
        try {
            var buffer = new RecordBuffer(Files.newInputStream(file), LINE_BYTES_MAX);
            return new Reader(partition, buffer, LineReader.open(buffer, from));
        } catch (IOException e) {
            throw new SourceException(
                    SourceException.Reason.GONE, file + " cannot be read: " + e.getMessage(), from, e);
        }
    }

    @Override
    public void checkUnchanged(Partition partition) throws SourceException {
        whole.checkUnchanged(partition);
    }

    @Override
    public boolean isResumable() {
        return true;
    }

    private static final class Reader implements SourceReader {
        private final Partition partition;
        private final RecordBuffer buffer;
        private final LineReader lines;
        private final Set<String> seen = new HashSet<>();

        Reader(Partition partition, RecordBuffer buffer, LineReader lines) {
            this.partition = partition;
            this.buffer = buffer;
            this.lines = lines;
        }

        @Override
        public Reading next() throws SourceException {
            try {
                while (lines.next()) {
                    byte[] line = lines.body().toBytes();
                    if (!DeadLetterWriter.isWhole(line)) {
                        return new Fault(
                                        "torn",
                                        "this dead letter was cut off by a crash; its document is read again with the load it came from")
                                .in(lines.body(), lines.position());
                    }
                    Entry entry = Entry.parse(line);
                    if (seen.add(entry.place())) {
                        return entry.reading(lines.position());
                    }
                }
                return EndOfPartition.END;
            } catch (IOException e) {
                throw new SourceException(
                        SourceException.Reason.CORRUPT,
                        "%s cannot be read at %s: %s".formatted(partition.name(), lines.position(), e.getMessage()),
                        lines.position(),
                        e);
            }
        }

        @Override
        public Position position() {
            return lines.nextPosition();
        }

        @Override
        public long storedBytesRead() {
            return lines.nextPosition().offset();
        }

        @Override
        public void close() {
            buffer.close();
        }
    }

    /** What is in one line. */
    private static final class Entry {
        private String partition = "";
        private long offset;
        private long line;
        private int status;
        private String type = "";
        private String reason = "";
        private byte[] action = {};
        private byte[] document = {};
        private long bytes;

        static Entry parse(byte[] json) throws IOException {
            var entry = new Entry();
            try (JsonParser parser = LETTERS.createParser(json)) {
                parser.nextToken();
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    String name = parser.currentName();
                    parser.nextToken();
                    entry.member(json, parser, name);
                }
            }
            return entry;
        }

        private void member(byte[] json, JsonParser parser, String name) throws IOException {
            switch (name) {
                case "partition" -> partition = parser.getText();
                case "offset" -> offset = parser.getLongValue();
                case "line" -> line = parser.getLongValue();
                case "status" -> status = parser.getIntValue();
                case "type" -> type = parser.getText();
                case "reason" -> reason = parser.getText();
                case "bytes" -> bytes = parser.getLongValue();
                case "action" -> {
                    int from = (int) parser.currentTokenLocation().getByteOffset();
                    parser.skipChildren();
                    action = Arrays.copyOfRange(
                            json, from, (int) parser.currentLocation().getByteOffset());
                }
                case "document" -> document = parser.getText().getBytes(StandardCharsets.UTF_8);
                case "documentBase64" -> document = parser.getBinaryValue();
                default -> parser.skipChildren();
            }
        }

        /** Another document may have been at the same place: in a file that was replaced, or a topic made anew. */
        String place() {
            return partition + '\0' + offset + '\0' + Arrays.hashCode(action) + '\0' + Arrays.hashCode(document);
        }

        Letter letter(byte[] json) {
            return new Letter(
                    partition,
                    new Position(offset, line),
                    status,
                    type,
                    reason,
                    new String(json, StandardCharsets.UTF_8));
        }

        /** The document as it was sent; what was never sent is as bad as it was. */
        Reading reading(Position position) throws JsonProcessingException {
            Body body = Body.owned(List.of(document), document.length);
            if (action.length == 0) {
                return new BadDocument(type, reason, body, bytes, position);
            }
            try {
                ActionLine line = ActionLine.parse(action);
                return new Document(
                        line.operation(),
                        line.id(),
                        line.routing(),
                        line.version(),
                        line.index(),
                        line.extraMetadata(),
                        body,
                        position);
            } catch (ActionLine.Malformed e) {
                String wrong = "its action line " + Objects.requireNonNullElse(e.getMessage(), "is malformed");
                return new BadDocument("action", wrong, body, bytes, position);
            }
        }
    }
}
