package io.penstock.source.file;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.penstock.core.document.BadDocument;
import io.penstock.core.document.Body;
import io.penstock.core.document.Document;
import io.penstock.core.document.EndOfPartition;
import io.penstock.core.document.Operation;
import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.source.file.bytes.LineReader;
import io.penstock.source.json.Fault;
import io.penstock.source.json.FieldExtractor;
import io.penstock.source.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of a bulk request: an action line and, except behind a delete, a body line.
 *
 * <p>A bad document is the action line and its body line, with a newline between, as they would be sent again. Behind a
 * bad action line it is not known whether a body follows: the next line is taken for it unless it is an action line.
 */
final class BulkFormatReader implements FormatReader {
    /** An {@code _id} has at most 512 bytes; an action line beyond this is not one. */
    private static final int MAX_ACTION_BYTES = 64 * 1024;

    private static final byte[] NOTHING = {};

    private final LineReader lines;
    private Position next;

    BulkFormatReader(LineReader lines) {
        this.lines = lines;
        next = lines.nextPosition();
    }

    @Override
    public Reading next() throws IOException {
        Reading reading = read();
        // Not earlier: if the stream breaks between the two lines, the action line has not been read.
        next = lines.nextPosition();
        return reading;
    }

    private Reading read() throws IOException {
        if (!lines.next()) {
            return EndOfPartition.END;
        }
        Position at = lines.position();
        BadDocument bad = lines.fault();
        if (bad != null) {
            return bad.type().equals("too_large") ? bad : orphan(bad);
        }
        ActionLine action;
        byte[] actionBytes;
        try {
            actionBytes = actionBytes();
            action = ActionLine.parse(actionBytes);
        } catch (ActionLine.Malformed e) {
            return orphan(new Fault("action", "the action line " + e.getMessage()).in(lines.body(), at));
        }
        if (!action.operation().hasBody()) {
            return document(action, Body.EMPTY, at);
        }
        if (!lines.next()) {
            var fault = new Fault("action", "the file ends behind the action line, and a body should follow");
            return fault.in(owned(actionBytes), at);
        }
        return withBody(action, actionBytes, at);
    }

    private byte[] actionBytes() throws ActionLine.Malformed {
        Body line = lines.body();
        if (line.size() > MAX_ACTION_BYTES) {
            throw new ActionLine.Malformed("has " + line.size() + " bytes");
        }
        return line.toBytes();
    }

    private Reading withBody(ActionLine action, byte[] actionBytes, Position at) {
        BadDocument bad = lines.fault();
        if (bad != null) {
            Body original = bad.body().size() == 0 ? Body.EMPTY : together(actionBytes, bad.body());
            return new BadDocument(
                    bad.type(),
                    "of the body line: " + bad.reason(),
                    original,
                    actionBytes.length + 1 + bad.bytes(),
                    at);
        }
        Body body = lines.body();
        Fault fault = lines.firstNonBlank() != '{'
                ? new Fault("parse", "the body line is not a JSON object")
                : updateFault(action, body);
        return fault == null ? document(action, body, at) : fault.in(together(actionBytes, body), at);
    }

    private static Document document(ActionLine action, Body body, Position at) {
        return new Document(
                action.operation(),
                action.id(),
                action.routing(),
                action.version(),
                action.index(),
                action.extraMetadata(),
                body,
                at);
    }

    /** A bad action line, together with the line behind it if that may be its body. */
    private BadDocument orphan(BadDocument bad) throws IOException {
        byte[] actionBytes = null;
        Body kept = bad.body();
        if (!kept.isOwned()) {
            actionBytes = kept.toBytes();
            kept = owned(actionBytes);
        }
        var alone = new BadDocument(bad.type(), bad.reason(), kept, bad.bytes(), bad.position());
        if (actionBytes == null || !lines.next()) {
            return alone;
        }
        BadDocument next = lines.fault();
        boolean apart = next == null ? isAction() : next.type().equals("too_large");
        if (apart) {
            lines.repeat();
            return alone;
        }
        Body both = together(actionBytes, lines.body());
        return new BadDocument(bad.type(), bad.reason(), both, both.size(), bad.position());
    }

    private boolean isAction() {
        try {
            ActionLine.parse(actionBytes());
            return true;
        } catch (ActionLine.Malformed e) {
            return false;
        }
    }

    private static @Nullable Fault updateFault(ActionLine action, Body body) {
        if (action.operation() != Operation.UPDATE || action.conditional()) {
            return null;
        }
        try (JsonParser parser = Json.FACTORY.createParser(body.open())) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                if (parser.currentName().equals("script")) {
                    return new Fault(
                            "unsafe_update",
                            "a script without if_seq_no would run twice if the request had to be repeated");
                }
                parser.nextToken();
                parser.skipChildren();
            }
            return null;
        } catch (JsonProcessingException e) {
            return FieldExtractor.malformed(e);
        } catch (IOException e) {
            throw new UncheckedIOException("reading memory cannot fail", e);
        }
    }

    private static Body owned(byte[] bytes) {
        return Body.owned(List.of(bytes), bytes.length);
    }

    private static Body together(byte[] action, Body body) {
        byte[] actionAndNewline = Arrays.copyOf(action, action.length + 1);
        actionAndNewline[action.length] = '\n';
        return DocumentMaker.join(actionAndNewline, body, NOTHING);
    }

    @Override
    public Position position() {
        return next;
    }
}
