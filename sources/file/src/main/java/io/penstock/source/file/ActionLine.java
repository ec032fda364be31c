package io.penstock.source.file;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.penstock.core.document.Document;
import io.penstock.core.document.Operation;
import io.penstock.source.json.DocumentId;
import io.penstock.source.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One action line of a bulk body, checked for everything that makes a server refuse the whole request.
 *
 * @param extraMetadata see {@link Document#extraMetadata()}
 * @param conditional whether it applies only to one known state of the document, so that sending it twice is safe
 */
record ActionLine(
        Operation operation,
        @Nullable String id,
        @Nullable String routing,
        long version,
        @Nullable String index,
        @Nullable String extraMetadata,
        boolean conditional) {

    /** Why a line is not an action line; the message is the end of a sentence. */
    static final class Malformed extends Exception {
        Malformed(String message) {
            super(message, null, false, false);
        }
    }

    static ActionLine parse(byte[] line) throws Malformed {
        try (JsonParser parser = Json.FACTORY.createParser(line)) {
            parser.enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
            return new Parsing(line, parser).read();
        } catch (JsonProcessingException e) {
            throw new Malformed("is not valid JSON");
        } catch (IOException e) {
            throw new Malformed("cannot be read");
        }
    }

    /** The members found so far. */
    private static final class Parsing {
        private static final Set<String> NUMBERS = Set.of("if_seq_no", "if_primary_term", "retry_on_conflict");
        private static final Set<String> FLAGS =
                Set.of("require_alias", "list_executed_pipelines", "require_data_stream");
        private static final Set<String> STRUCTURES = Set.of("_source", "dynamic_templates");

        private final byte[] line;
        private final JsonParser parser;
        private final StringBuilder extra = new StringBuilder();
        private @Nullable String id;
        private @Nullable String routing;
        private @Nullable String index;
        private long version = Document.NO_VERSION;
        private String versionType = "internal";
        private boolean sequenceNumber;
        private boolean primaryTerm;
        private boolean retries;

        Parsing(byte[] line, JsonParser parser) {
            this.line = line;
            this.parser = parser;
        }

        ActionLine read() throws IOException, Malformed {
            check(parser.nextToken() == JsonToken.START_OBJECT, "is not a JSON object");
            check(parser.nextToken() == JsonToken.FIELD_NAME, "names no action");
            Operation operation = Operation.parse(parser.currentName())
                    .orElseThrow(() -> new Malformed("names no known action (index, create, update, delete)"));
            check(parser.nextToken() == JsonToken.START_OBJECT, "has an action without an object");
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                readMember(parser.currentName(), parser.nextToken());
            }
            check(parser.nextToken() == JsonToken.END_OBJECT, "has more than one action");
            check(parser.nextToken() == null, "goes on behind its object");
            checkTogether(operation);
            return new ActionLine(operation, id, routing, version, index, extraMetadata(), sequenceNumber);
        }

        private void readMember(String key, JsonToken value) throws IOException, Malformed {
            switch (key) {
                case "_id" -> readId(value);
                case "_index" -> {
                    check(value == JsonToken.VALUE_STRING, "has an _index that is not a string");
                    index = parser.getText();
                }
                case "routing", "_routing" -> readRouting(key, value);
                case "version" -> {
                    version = value.isStructStart() ? Document.NO_VERSION : DocumentId.version(parser.getText());
                    check(version != Document.NO_VERSION, "has a version that is not an integer from 0 to 2^63-1");
                }
                case "version_type" -> readVersionType(value);
                case "_type" -> parser.skipChildren();
                default -> readExtra(key, value);
            }
        }

        private void readId(JsonToken value) throws IOException, Malformed {
            check(
                    value == JsonToken.VALUE_STRING || value == JsonToken.VALUE_NUMBER_INT,
                    "has an _id that is neither a string nor an integer");
            id = parser.getText();
            String wrong = DocumentId.wrong(id);
            check(wrong == null, "has an _id that " + wrong);
        }

        private void readRouting(String key, JsonToken value) throws IOException, Malformed {
            check(!value.isStructStart(), "has a " + key + " that is not a single value");
            if (value != JsonToken.VALUE_NULL && !parser.getText().isEmpty()) {
                routing = parser.getText();
            }
        }

        private void readVersionType(JsonToken value) throws IOException, Malformed {
            versionType = value.isStructStart() ? "" : parser.getText();
            check(
                    Set.of("internal", "external", "external_gt", "external_gte")
                            .contains(versionType),
                    "has an unknown version_type");
        }

        private void readExtra(String key, JsonToken value) throws IOException, Malformed {
            if (NUMBERS.contains(key)) {
                check(value == JsonToken.VALUE_NUMBER_INT, "has a " + key + " that is not an integer");
            } else if (FLAGS.contains(key)) {
                check(value.isBoolean(), "has a " + key + " that is neither true nor false");
            } else if (!STRUCTURES.contains(key)) {
                check(key.equals("pipeline"), "has metadata that servers do not know");
                check(value == JsonToken.VALUE_STRING, "has a pipeline that is not a string");
            }
            sequenceNumber |= key.equals("if_seq_no");
            primaryTerm |= key.equals("if_primary_term");
            retries |= key.equals("retry_on_conflict");
            appendVerbatim(key);
        }

        private void appendVerbatim(String key) throws IOException {
            int start = (int) parser.currentTokenLocation().getByteOffset();
            parser.skipChildren();
            parser.finishToken();
            int end = (int) parser.currentLocation().getByteOffset();
            extra.append(extra.isEmpty() ? "" : ",").append('"').append(key).append("\":");
            extra.append(new String(line, start, end - start, StandardCharsets.UTF_8));
        }

        /** Combinations that servers refuse, with the whole request (OpenSearch and Elasticsearch, DocWriteRequest). */
        private void checkTogether(Operation operation) throws Malformed {
            boolean external = !versionType.equals("internal");
            boolean versioned = version != Document.NO_VERSION;
            check(versioned == external, "must have version and an external version_type together or neither");
            boolean versionAllowed = operation == Operation.INDEX || operation == Operation.DELETE;
            check(!versioned || versionAllowed, "has a version, which servers refuse for " + operation.actionName());
            check(sequenceNumber == primaryTerm, "must have if_seq_no and if_primary_term together or neither");
            check(!sequenceNumber || !versioned, "has both if_seq_no and a version");
            check(!sequenceNumber || operation != Operation.CREATE, "has if_seq_no, which servers refuse for create");
            check(!sequenceNumber || !retries, "has both if_seq_no and retry_on_conflict");
            boolean idNeeded = operation == Operation.UPDATE || operation == Operation.DELETE;
            check(id != null || !idNeeded, "has no _id, which " + operation.actionName() + " needs");
            check(id != null || !versioned, "has a version but no _id");
            check(id != null || !sequenceNumber, "has if_seq_no but no _id");
        }

        private @Nullable String extraMetadata() {
            if (versionType.equals("external_gte")) {
                extra.append(extra.isEmpty() ? "" : ",").append("\"version_type\":\"external_gte\"");
            }
            return extra.isEmpty() ? null : extra.toString();
        }

        private static void check(boolean right, String wrong) throws Malformed {
            if (!right) {
                throw new Malformed(wrong);
            }
        }
    }
}
