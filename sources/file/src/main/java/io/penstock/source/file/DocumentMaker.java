package io.penstock.source.file;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.penstock.core.document.Body;
import io.penstock.core.document.Document;
import io.penstock.core.document.Operation;
import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.source.json.Fault;
import io.penstock.source.json.FieldExtractor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Makes a document of a JSON object: its address from its fields, its body as the operation needs it. */
final class DocumentMaker {
    private static final byte[] UPDATE_START = "{\"doc\":".getBytes(US_ASCII);
    private static final byte[] UPDATE_END = "}".getBytes(US_ASCII);

    private final Operation operation;
    private final FieldExtractor fields;

    DocumentMaker(FileOptions options) {
        operation = options.operation();
        fields = new FieldExtractor(options.idField(), options.routingField(), options.versionField());
    }

    /** The document, or a bad document with the bytes of {@code original}. */
    Reading make(Body object, Body original, Position at) {
        Fault fault = fields.read(object);
        if (fault != null) {
            return fault.in(original, at);
        }
        Body body = switch (operation) {
            case INDEX, CREATE -> object;
            case UPDATE -> join(UPDATE_START, object, UPDATE_END);
            case DELETE -> Body.EMPTY;
        };
        return new Document(operation, fields.id(), fields.routing(), fields.version(), null, null, body, at);
    }

    /** An owned body of all three; only what is borrowed is copied. */
    static Body join(byte[] start, Body middle, byte[] end) {
        List<byte[]> pieces = new ArrayList<>();
        pieces.add(start);
        middle.forEachPiece((array, offset, length) -> {
            boolean whole = middle.isOwned() && offset == 0 && length == array.length;
            pieces.add(whole ? array : Arrays.copyOfRange(array, offset, offset + length));
        });
        pieces.add(end);
        return Body.owned(pieces, start.length + middle.size() + end.length);
    }
}
