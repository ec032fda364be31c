package io.penstock.source.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.core.document.BadDocument;
import io.penstock.core.document.Body;
import io.penstock.core.document.EndOfPartition;
import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.core.source.SourceException.Reason;
import io.penstock.source.file.bytes.BrokenInputException;
import io.penstock.source.file.bytes.RecordBuffer;
import io.penstock.source.json.Fault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.apache.commons.csv.QuoteMode;

/**
 * Comma- or tab-separated values as in RFC 4180, with a header; every value becomes a string, an empty one without
 * quotes is left out.
 *
 * <p>Records are cut here, by their quotes, so that each has its byte position and a bad one does not stop the next;
 * what is inside one is the business of commons-csv.
 */
final class CsvReader implements FormatReader {
    private enum State {
        FIELD_START,
        PLAIN,
        QUOTED,
        QUOTE_IN_QUOTED
    }

    private final RecordBuffer buffer;
    private final char delimiter;
    private final CSVFormat format;
    private final DocumentMaker maker;
    private final ReusedBytes json = new ReusedBytes();
    private final String[] header;
    private long line = 1;
    private Position next;

    private CsvReader(RecordBuffer buffer, char delimiter, FileOptions options, Position from) throws IOException {
        this.buffer = buffer;
        this.delimiter = delimiter;
        format = CSVFormat.RFC4180
                .builder()
                .setDelimiter(delimiter)
                // The mode in which an empty value without quotes is told apart from one with quotes.
                .setQuoteMode(QuoteMode.ALL_NON_NULL)
                .get();
        maker = new DocumentMaker(options);
        header = readHeader();
        requireColumns(options);
        next = from;
        if (from.offset() > buffer.offset()) {
            goTo(from);
        }
    }

    /** Reads the header, at the start of the file, and goes to {@code from}. */
    static CsvReader open(RecordBuffer buffer, char delimiter, FileOptions options, Position from) throws IOException {
        buffer.skipByteOrderMark();
        return new CsvReader(buffer, delimiter, options, from);
    }

    private void goTo(Position from) throws IOException {
        buffer.skipTo(from.offset() - 1);
        int before = buffer.next();
        if (before < 0 || (before != '\n' && buffer.peek() >= 0)) {
            throw new BrokenInputException(
                    Reason.CHANGED, "no record begins at byte " + from.offset() + ", where reading was to go on");
        }
        line = from.line();
    }

    private String[] readHeader() throws IOException {
        if (!readRecord()) {
            return new String[0];
        }
        Position at = new Position(0, 1);
        if (buffer.fault(false, at) != null) {
            throw new BrokenInputException(Reason.CORRUPT, "its header is not UTF-8 or far too long");
        }
        String[] names = values(buffer.body());
        if (names.length == 0 || Arrays.stream(names).anyMatch(name -> name == null || name.isEmpty())) {
            throw new BrokenInputException(Reason.CORRUPT, "its header has a column without a name");
        }
        if (new HashSet<>(List.of(names)).size() < names.length) {
            throw new BrokenInputException(Reason.CORRUPT, "its header names a column twice");
        }
        return names;
    }

    /** A name that is no column would make a dead letter of every record. */
    private void requireColumns(FileOptions options) throws BrokenInputException {
        for (Optional<String> field : List.of(options.idField(), options.routingField(), options.versionField())) {
            if (field.isPresent() && header.length > 0 && !List.of(header).contains(field.get())) {
                throw new BrokenInputException(
                        Reason.CORRUPT,
                        "it has no column %s, only %s".formatted(field.get(), String.join(", ", header)));
            }
        }
    }

    @Override
    public Reading next() throws IOException {
        Reading reading = read();
        next = new Position(buffer.offset(), line);
        return reading;
    }

    private Reading read() throws IOException {
        Position at;
        do {
            at = new Position(buffer.offset(), line);
            if (!readRecord()) {
                return EndOfPartition.END;
            }
        } while (buffer.recordBytes() == 0);
        BadDocument bad = buffer.fault(false, at);
        if (bad != null) {
            return bad;
        }
        Body record = buffer.body();
        String[] values = values(record);
        if (values.length == 0) {
            return new Fault("parse", "its quotes or line ends are not those of RFC 4180").in(record, at);
        }
        if (values.length != header.length) {
            String reason = "it has " + values.length + " columns, and the header has " + header.length;
            return new Fault("columns", reason).in(record, at);
        }
        write(values);
        return maker.make(json.body(), record, at);
    }

    /** The values of one record, null for those that are not there; none at all if it is malformed. */
    @SuppressWarnings("NullAway") // commons-csv gives null for an absent value
    private String[] values(Body record) throws IOException {
        try (CSVParser parser = CSVParser.parse(new String(record.toBytes(), UTF_8), format)) {
            var records = parser.iterator();
            CSVRecord first = records.next();
            return records.hasNext() ? new String[0] : first.values();
        } catch (UncheckedIOException | NoSuchElementException e) {
            return new String[0];
        }
    }

    private void write(String[] values) throws IOException {
        try (JsonGenerator generator = json.begin()) {
            generator.writeStartObject();
            for (int i = 0; i < values.length; i++) {
                if (values[i] != null) {
                    generator.writeStringField(header[i], values[i]);
                }
            }
            generator.writeEndObject();
        }
    }

    /** Takes bytes up to the next line end outside quotes; false at the end of the file. */
    private boolean readRecord() throws IOException {
        buffer.beginRecord();
        long start = buffer.offset();
        var state = State.FIELD_START;
        while (true) {
            int found = buffer.next();
            if (found < 0) {
                buffer.endLine(buffer.scan());
                return buffer.offset() > start;
            }
            if (found == '\n') {
                line++;
                if (state != State.QUOTED) {
                    buffer.endLine(buffer.scan() - 1);
                    return true;
                }
            }
            state = after(state, found);
        }
    }

    private State after(State state, int found) {
        if (state == State.QUOTED) {
            return found == '"' ? State.QUOTE_IN_QUOTED : State.QUOTED;
        }
        if (found == delimiter) {
            return State.FIELD_START;
        }
        boolean opensOrDoubles = found == '"' && state != State.PLAIN;
        return opensOrDoubles ? State.QUOTED : State.PLAIN;
    }

    @Override
    public Position position() {
        return next;
    }
}
