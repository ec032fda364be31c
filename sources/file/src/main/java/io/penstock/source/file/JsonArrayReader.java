package io.penstock.source.file;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import io.penstock.core.document.BadDocument;
import io.penstock.core.document.Body;
import io.penstock.core.document.EndOfPartition;
import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.core.source.SourceException.Reason;
import io.penstock.source.file.bytes.BrokenInputException;
import io.penstock.source.file.bytes.RecordBuffer;
import io.penstock.source.json.Fault;
import io.penstock.source.json.FieldExtractor;
import io.penstock.source.json.Json;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one JSON array, each as the bytes it is, but for newlines between its tokens, which become spaces.
 *
 * <p>An element's end is found by its brackets and quotes. If its tokens then make no sense, the brackets behind it
 * cannot be trusted either, and the file is corrupt from there on.
 */
final class JsonArrayReader implements FormatReader {
    /** What may come next. */
    private enum Expected {
        ARRAY,
        ELEMENT_OR_END,
        SEPARATOR_OR_END,
        /** A reader may be opened at an element or behind one. */
        ANYTHING_INSIDE,
        NOTHING
    }

    private final RecordBuffer buffer;
    private final DocumentMaker maker;
    private Expected expected;
    private long line;
    private Position next;
    private boolean newlines;
    private boolean newlineInString;

    private JsonArrayReader(RecordBuffer buffer, FileOptions options, Position from) {
        this.buffer = buffer;
        maker = new DocumentMaker(options);
        expected = from.offset() == 0 ? Expected.ARRAY : Expected.ANYTHING_INSIDE;
        line = from.line();
        next = from;
    }

    static JsonArrayReader open(RecordBuffer buffer, FileOptions options, Position from) throws IOException {
        if (from.offset() == 0) {
            buffer.skipByteOrderMark();
        } else {
            buffer.skipTo(from.offset());
        }
        return new JsonArrayReader(buffer, options, from);
    }

    @Override
    public Reading next() throws IOException {
        Reading reading = findElement() ? readElement() : EndOfPartition.END;
        next = here();
        return reading;
    }

    @Override
    public Position position() {
        return next;
    }

    private Position here() {
        return new Position(buffer.offset(), line);
    }

    /** Goes to the next element; false at the end of the array. */
    private boolean findElement() throws IOException {
        int found = skipBlanks();
        if (expected == Expected.NOTHING || (expected == Expected.ARRAY && found < 0)) {
            return false;
        }
        if (expected == Expected.ARRAY) {
            check(found == '[', "it does not begin with a JSON array");
            buffer.next();
            found = skipBlanks();
            expected = Expected.ELEMENT_OR_END;
        } else if (expected != Expected.ELEMENT_OR_END && found == ',') {
            buffer.next();
            found = skipBlanks();
            check(found != ']', "an element is missing behind a comma");
        } else {
            boolean separated = expected == Expected.ANYTHING_INSIDE || found == ']' || found < 0;
            check(separated, "a comma is missing between two elements");
        }
        if (found < 0) {
            throw cut();
        }
        if (found == ']') {
            end();
            return false;
        }
        check(found != ',' && found != '}', "an element is missing");
        return true;
    }

    private void end() throws IOException {
        buffer.next();
        check(skipBlanks() < 0, "it goes on behind the end of the array");
        expected = Expected.NOTHING;
    }

    /** Passes over white space; what comes behind it, or -1 at the end of the file. */
    private int skipBlanks() throws IOException {
        while (true) {
            buffer.beginRecord();
            int found = buffer.peek();
            if (found != ' ' && found != '\n' && found != '\r' && found != '\t') {
                return found;
            }
            line += found == '\n' ? 1 : 0;
            buffer.next();
        }
    }

    private Reading readElement() throws IOException {
        Position at = here();
        newlines = false;
        newlineInString = false;
        scanElement();
        buffer.endRecord(buffer.scan());
        expected = Expected.SEPARATOR_OR_END;
        BadDocument bad = buffer.fault(false, at);
        if (bad != null) {
            return bad;
        }
        Body element = buffer.body();
        Fault fault = fault(element, at);
        if (fault != null) {
            return fault.in(element, at);
        }
        if (newlines) {
            element.forEachPiece(JsonArrayReader::replaceNewlines);
        }
        return maker.make(element, element, at);
    }

    /** Goes behind the element: the bracket that closes it, its last quote, or what cannot belong to it. */
    private void scanElement() throws IOException {
        int depth = 0;
        while (true) {
            int found = buffer.peek();
            switch (found) {
                case -1 -> throw cut();
                case '"' -> scanString();
                case '{', '[' -> {
                    depth++;
                    buffer.next();
                }
                case '}', ']', ',' -> {
                    if (depth == 0) {
                        return;
                    }
                    depth -= found == ',' ? 0 : 1;
                    buffer.next();
                }
                default -> {
                    boolean newline = found == '\n';
                    if (depth == 0 && (newline || found == ' ' || found == '\r' || found == '\t')) {
                        return;
                    }
                    newlines |= newline;
                    line += newline ? 1 : 0;
                    buffer.next();
                    continue;
                }
            }
            if (depth == 0) {
                return;
            }
        }
    }

    private void scanString() throws IOException {
        buffer.next();
        while (true) {
            switch (buffer.next()) {
                case -1 -> throw cut();
                case '"' -> {
                    return;
                }
                case '\\' -> buffer.next();
                case '\n' -> {
                    newlineInString = true;
                    line++;
                }
                default -> {}
            }
        }
    }

    private @Nullable Fault fault(Body element, Position at) throws IOException {
        if (buffer.firstNonBlank() != '{') {
            checkTokens(element, at);
            return new Fault("parse", "the element is not a JSON object");
        }
        if (newlineInString) {
            return new Fault("parse", "a string has a newline that is not escaped");
        }
        return checkTokens(element, at);
    }

    private static @Nullable Fault checkTokens(Body element, Position at) throws IOException {
        try (JsonParser parser = Json.FACTORY.createParser(element.open())) {
            // The server tells about these, and they do not hide an element's end.
            parser.enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS.mappedFeature());
            while (parser.nextToken() != null) {
                // Only looked at.
            }
            return null;
        } catch (StreamConstraintsException e) {
            return FieldExtractor.malformed(e);
        } catch (JsonProcessingException e) {
            throw new BrokenInputException(
                    Reason.CORRUPT, "the array has a malformed element at " + at + ", and its end cannot be told", e);
        }
    }

    private static void replaceNewlines(byte[] array, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            if (array[i] == '\n') {
                array[i] = ' ';
            }
        }
    }

    private BrokenInputException cut() {
        return new BrokenInputException(Reason.TRUNCATED, "it ends inside the array");
    }

    private void check(boolean right, String wrong) throws BrokenInputException {
        if (!right) {
            throw new BrokenInputException(Reason.CORRUPT, wrong + ", at " + here());
        }
    }
}
