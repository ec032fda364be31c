package io.penstock.source.kafka;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.penstock.core.document.BadDocument;
import io.penstock.core.document.Body;
import io.penstock.core.document.Document;
import io.penstock.core.document.Operation;
import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.source.json.DocumentId;
import io.penstock.source.json.Fault;
import io.penstock.source.json.FieldExtractor;
import io.penstock.source.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Makes a document of a record: the key is its {@code _id}, the offset its external version, a record without a value
 * deletes it. The headers {@code routing} and {@code index} say where it goes. Not thread-safe.
 */
final class RecordDocuments {
    private final TopicOptions options;
    private final FieldExtractor fields;
    private final long firstVersion;

    /** @param firstVersion version of the record with offset 0 */
    RecordDocuments(TopicOptions options, long firstVersion) {
        this.options = options;
        this.fields = new FieldExtractor(options.idField(), options.routingField(), Optional.empty());
        this.firstVersion = firstVersion;
    }

    Reading of(ConsumerRecord<byte[], byte[]> record, Position at) {
        byte[] value = record.value();
        if (value == null) {
            return deletion(record, at);
        }
        if (value.length > options.maxDocumentBytes()) {
            return new BadDocument(
                    "too_large",
                    "its value has %,d bytes, and at most %,d are taken"
                            .formatted(value.length, options.maxDocumentBytes()),
                    Body.EMPTY,
                    value.length,
                    at);
        }
        Body original = body(value);
        try {
            if (firstNonBlank(value) != '{') {
                return new Fault("parse", "its value is not a JSON object").in(original, at);
            }
            Body object = hasLineEnd(value) ? body(inOneLine(value)) : original;
            Fault fault = fields.read(object);
            if (fault != null) {
                return fault.in(original, at);
            }
            String named = fields.id();
            String id = named == null ? key(record) : named;
            String wrong = DocumentId.wrong(id);
            if (wrong != null) {
                return new Fault("id", "its key " + wrong).in(original, at);
            }
            String inField = fields.routing();
            String routing = inField == null ? header(record, "routing") : inField;
            return document(Operation.INDEX, record, id, routing, object, at);
        } catch (JsonProcessingException e) {
            return FieldExtractor.malformed(e).in(original, at);
        } catch (CharacterCodingException e) {
            return new Fault("id", "its key is not UTF-8").in(original, at);
        } catch (IOException e) {
            throw new UncheckedIOException("reading memory cannot fail", e);
        }
    }

    /** A tombstone has no fields, so that its key is the id also where a field is for other records. */
    private Reading deletion(ConsumerRecord<byte[], byte[]> record, Position at) {
        if (record.key() == null) {
            return new Fault("id", "it has neither a key nor a value").in(Body.EMPTY, at);
        }
        try {
            String id = key(record);
            String wrong = DocumentId.wrong(id);
            if (wrong != null) {
                return new Fault("id", "its key " + wrong).in(Body.EMPTY, at);
            }
            String routing = header(record, "routing");
            if (routing == null && options.routingField().isPresent()) {
                return new Fault(
                                "routing",
                                "it deletes a document whose routing value is in a field, and has no fields: write it with a header 'routing'")
                        .in(Body.EMPTY, at);
            }
            return document(Operation.DELETE, record, id, routing, Body.EMPTY, at);
        } catch (CharacterCodingException e) {
            return new Fault("id", "its key is not UTF-8").in(Body.EMPTY, at);
        }
    }

    private Document document(
            Operation operation,
            ConsumerRecord<byte[], byte[]> record,
            String id,
            @Nullable String routing,
            Body body,
            Position at)
            throws CharacterCodingException {
        long version = firstVersion + record.offset();
        return new Document(operation, id, routing, version, header(record, "index"), null, body, at);
    }

    /** Without a key, where the record is stored: the same on every reading. */
    private static String key(ConsumerRecord<byte[], byte[]> record) throws CharacterCodingException {
        return record.key() == null
                ? record.topic() + "-" + record.partition() + "-" + record.offset()
                : text(record.key());
    }

    private static @Nullable String header(ConsumerRecord<byte[], byte[]> record, String name)
            throws CharacterCodingException {
        Header header = record.headers().lastHeader(name);
        return header == null || header.value() == null || header.value().length == 0 ? null : text(header.value());
    }

    private static String text(byte[] utf8) throws CharacterCodingException {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    }

    private static Body body(byte[] bytes) {
        return Body.borrowed(bytes, 0, bytes.length);
    }

    private static int firstNonBlank(byte[] value) {
        for (byte each : value) {
            if (each != ' ' && each != '\t' && each != '\n' && each != '\r') {
                return each;
            }
        }
        return -1;
    }

    private static boolean hasLineEnd(byte[] value) {
        for (byte each : value) {
            if (each == '\n' || each == '\r') {
                return true;
            }
        }
        return false;
    }

    /** A bulk request has one line for each document. */
    private static byte[] inOneLine(byte[] value) throws IOException {
        var line = new ByteArrayOutputStream(value.length);
        try (JsonParser parser = Json.FACTORY.createParser(value);
                JsonGenerator generator = Json.FACTORY.createGenerator(line)) {
            while (parser.nextToken() != null) {
                if (parser.currentToken() == JsonToken.VALUE_NUMBER_FLOAT) {
                    generator.writeNumber(parser.getText()); // digit by digit as it was
                } else {
                    generator.copyCurrentEvent(parser);
                }
            }
        }
        return line.toByteArray();
    }
}
