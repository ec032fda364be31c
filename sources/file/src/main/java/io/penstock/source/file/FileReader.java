package io.penstock.source.file;

import io.penstock.core.document.EndOfPartition;
import io.penstock.core.document.Idle;
import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.core.source.Partition;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceException.Reason;
import io.penstock.core.source.SourceReader;
import io.penstock.source.file.bytes.BrokenInputException;
import io.penstock.source.file.bytes.Decompression;
import io.penstock.source.file.bytes.LineReader;
import io.penstock.source.file.bytes.RecordBuffer;
import io.penstock.source.file.bytes.StoredInput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** One file being read: knows its name and source, so that faults say where they are. */
final class FileReader implements SourceReader {
    private final FileSource source;
    private final Partition partition;
    private final StoredInput stored;
    private final RecordBuffer buffer;
    private final FormatReader format;
    private @Nullable SourceException failure;
    private boolean idle;

    private FileReader(
            FileSource source, Partition partition, StoredInput stored, RecordBuffer buffer, FormatReader format) {
        this.source = source;
        this.partition = partition;
        this.stored = stored;
        this.buffer = buffer;
        this.format = format;
    }

    /** Reads {@code stored} from {@code from} on; closes it if that fails. */
    static FileReader open(
            FileSource source, Partition partition, StoredInput stored, FileOptions options, Position from)
            throws SourceException {
        RecordBuffer buffer = null;
        boolean opened = false;
        try {
            buffer = new RecordBuffer(Decompression.open(stored), options.maxDocumentBytes());
            FormatReader format = format(partition.name(), buffer, options, from);
            opened = true;
            return new FileReader(source, partition, stored, buffer, format);
        } catch (IOException e) {
            throw toSourceException(partition, e, from);
        } finally {
            if (!opened) {
                close(buffer, stored);
            }
        }
    }

    private static void close(@Nullable RecordBuffer buffer, StoredInput stored) {
        if (buffer != null) {
            buffer.close();
        }
        try {
            stored.close();
        } catch (IOException e) {
            // The fault that led here is the one to tell.
        }
    }

    private static FormatReader format(String name, RecordBuffer buffer, FileOptions options, Position from)
            throws IOException {
        Format format = options.format();
        if (format == Format.AUTO) {
            byte[] preview = buffer.preview().toBytes();
            format = FormatDetection.detect(name, preview)
                    .orElseThrow(() -> new BrokenInputException(
                            Reason.CORRUPT, "cannot tell the format of " + name + "; use --format"));
        }
        return switch (format) {
            case NDJSON -> new NdjsonReader(LineReader.open(buffer, from), options);
            case BULK -> new BulkFormatReader(LineReader.open(buffer, from));
            case JSON -> JsonArrayReader.open(buffer, options, from);
            case CSV -> CsvReader.open(buffer, ',', options, from);
            case TSV -> CsvReader.open(buffer, '\t', options, from);
            case APACHE -> new ApacheLogReader(LineReader.open(buffer, from), options);
            case AUTO -> throw new IllegalStateException("the format was just decided");
        };
    }

    @Override
    public Reading next() throws SourceException {
        if (failure != null) {
            throw failure;
        }
        try {
            if (!idle && isIdle()) {
                idle = true; // told once; then the reader waits for whatever comes
                return Idle.IDLE;
            }
            idle = false;
            Reading reading = format.next();
            if (reading instanceof EndOfPartition) {
                source.checkUnchanged(partition);
            }
            return reading;
        } catch (IOException e) {
            failure = toSourceException(partition, e, format.position());
        } catch (SourceException e) {
            failure = new SourceException(e.reason(), String.valueOf(e.getMessage()), format.position(), e);
        }
        throw failure;
    }

    private boolean isIdle() throws IOException {
        return stored.isPipe()
                && source.idleMoment().isPositive()
                && !buffer.holdsLine()
                && stored.isQuietFor(source.idleMoment());
    }

    private static SourceException toSourceException(Partition partition, IOException cause, Position position) {
        Reason reason = cause instanceof BrokenInputException broken ? broken.reason() : Reason.GONE;
        String message = partition.name() + ": " + cause.getMessage() + "; read up to " + position;
        return new SourceException(reason, message, position, cause);
    }

    @Override
    public Position position() {
        return format.position();
    }

    @Override
    public long storedBytesRead() {
        return stored.count();
    }

    @Override
    public void close() {
        buffer.close();
    }
}
