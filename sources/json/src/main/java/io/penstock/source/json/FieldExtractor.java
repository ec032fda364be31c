package io.penstock.source.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.penstock.core.document.Body;
import io.penstock.core.document.Document;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a document's id, routing and version out of its fields, and not a byte further than the last of them.
 *
 * <p>A dotted name means a member of an inner object or one with the dots in its name, as on the server. The results of
 * a reading are kept until the next one.
 */
public final class FieldExtractor {
    private final @Nullable String idField;
    private final @Nullable String routingField;
    private final @Nullable String versionField;
    private final int wanted;

    private @Nullable String id;
    private @Nullable String routing;
    private long version;
    private int found;
    private @Nullable Fault fault;

    /** Any of the fields may be absent. */
    public FieldExtractor(Optional<String> idField, Optional<String> routingField, Optional<String> versionField) {
        this.idField = idField.orElse(null);
        this.routingField = routingField.orElse(null);
        this.versionField = versionField.orElse(null);
        wanted =
                (idField.isPresent() ? 1 : 0) + (routingField.isPresent() ? 1 : 0) + (versionField.isPresent() ? 1 : 0);
    }

    /** The id last read, or null if none was asked for. */
    public @Nullable String id() {
        return id;
    }

    /** The routing value last read, or null. */
    public @Nullable String routing() {
        return routing;
    }

    /** The version last read, or {@link Document#NO_VERSION}. */
    public long version() {
        return version;
    }

    /** Reads the fields of one JSON object; what is wrong with them or with it, or null. */
    public @Nullable Fault read(Body object) {
        id = null;
        routing = null;
        version = Document.NO_VERSION;
        found = 0;
        fault = null;
        if (wanted == 0) {
            return null;
        }
        try (JsonParser parser = Json.FACTORY.createParser(object.open())) {
            parser.nextToken();
            readObject(parser, "");
        } catch (JsonProcessingException e) {
            return malformed(e);
        } catch (IOException e) {
            throw new UncheckedIOException("reading memory cannot fail", e);
        }
        return fault != null ? fault : missing();
    }

    /** What is wrong with JSON that cannot be parsed. */
    public static Fault malformed(JsonProcessingException e) {
        if (e instanceof StreamConstraintsException) {
            return new Fault("parse", "it is nested more than 1,000 levels deep, or has a name or text far too long");
        }
        var location = e.getLocation();
        return new Fault(
                "parse",
                location == null || location.getByteOffset() < 0
                        ? "it is not valid JSON"
                        : "it is not valid JSON at its byte " + location.getByteOffset());
    }

    private @Nullable Fault missing() {
        if (idField != null && id == null) {
            return new Fault("id", "it has no field " + idField + " for its id");
        }
        if (versionField != null && version == Document.NO_VERSION) {
            return new Fault("version", "it has no field " + versionField + " for its version");
        }
        return null;
    }

    private boolean done() {
        return found == wanted || fault != null;
    }

    private void readObject(JsonParser parser, String prefix) throws IOException {
        while (!done() && parser.nextToken() == JsonToken.FIELD_NAME) {
            String path = prefix.isEmpty() ? parser.currentName() : prefix + parser.currentName();
            JsonToken value = parser.nextToken();
            if (take(parser, path, value)) {
                continue;
            }
            if (value == JsonToken.START_OBJECT && leadsToField(path)) {
                readObject(parser, path + ".");
            } else {
                parser.skipChildren();
            }
        }
    }

    private boolean leadsToField(String path) {
        return isParent(path, idField) || isParent(path, routingField) || isParent(path, versionField);
    }

    private static boolean isParent(String path, @Nullable String field) {
        return field != null
                && field.length() > path.length()
                && field.charAt(path.length()) == '.'
                && field.startsWith(path);
    }

    /** Takes the value if it is one of the fields; one field may serve for several. */
    private boolean take(JsonParser parser, String path, JsonToken value) throws IOException {
        boolean taken = false;
        if (path.equals(idField)) {
            takeId(parser, value);
            taken = true;
        }
        if (path.equals(routingField)) {
            takeRouting(parser, value);
            taken = true;
        }
        if (path.equals(versionField)) {
            takeVersion(parser, value);
            taken = true;
        }
        return taken;
    }

    private void takeId(JsonParser parser, JsonToken value) throws IOException {
        found++;
        if (value != JsonToken.VALUE_STRING && value != JsonToken.VALUE_NUMBER_INT) {
            fault = new Fault("id", "its field " + idField + " is neither a string nor an integer");
            return;
        }
        id = parser.getText();
        String wrong = DocumentId.wrong(id);
        if (wrong != null) {
            fault = new Fault("id", "its field " + idField + " " + wrong);
        }
    }

    private void takeRouting(JsonParser parser, JsonToken value) throws IOException {
        found++;
        if (value.isStructStart()) {
            fault = new Fault("routing", "its field " + routingField + " is not a single value");
        } else if (value != JsonToken.VALUE_NULL && !parser.getText().isEmpty()) {
            routing = parser.getText();
        }
    }

    private void takeVersion(JsonParser parser, JsonToken value) throws IOException {
        found++;
        // Tables know only text, so digits in a string are a number as well.
        boolean number = value == JsonToken.VALUE_NUMBER_INT || value == JsonToken.VALUE_STRING;
        version = number ? DocumentId.version(parser.getText()) : Document.NO_VERSION;
        if (version == Document.NO_VERSION) {
            fault = new Fault("version", "its field " + versionField + " is not an integer from 0 to 2^63-1");
        }
    }
}
