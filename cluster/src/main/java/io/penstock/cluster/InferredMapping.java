package io.penstock.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.core.document.Document;
import io.penstock.core.document.EndOfPartition;
import io.penstock.core.document.Operation;
import io.penstock.core.document.Reading;
import io.penstock.core.source.Partition;
import io.penstock.core.source.Source;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * A mapping made from a sample of the documents, with the reason for each field. A document that does not fit later is
 * the server's to refuse, and then a dead letter.
 *
 * @param mapping JSON of the mapping
 * @param reasons one line for each field, for people
 */
public record InferredMapping(String mapping, List<String> reasons) {
    private static final int SAMPLE_DOCUMENTS = 10_000;

    /** The server's {@code index.mapping.total_fields.limit} is 1,000 by default, objects included. */
    private static final int FIELDS_MAX = 900;

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Reads the first documents of a source that can be read again.
     *
     * @param strict whether documents with fields that the sample does not have are refused; else those are kept and
     *     cannot be searched
     */
    public static InferredMapping of(Source source, boolean strict) throws SourceException {
        var root = new InferredField("");
        int documents = sample(source, root);
        ObjectNode mapping = JSON.createObjectNode();
        if (strict) {
            mapping.put("dynamic", "strict");
        } else {
            mapping.put("dynamic", false);
        }
        var reasons = new ArrayList<String>();
        reasons.add("mapping from the first %,d documents:".formatted(documents));
        write(root, mapping, reasons);
        return new InferredMapping(mapping.toString(), List.copyOf(reasons));
    }

    private static int sample(Source source, InferredField root) throws SourceException {
        int documents = 0;
        for (Partition partition : source.partitions()) {
            try (SourceReader reader = source.open(partition, io.penstock.core.document.Position.START)) {
                Reading reading = reader.next();
                while (documents < SAMPLE_DOCUMENTS && !(reading instanceof EndOfPartition)) {
                    if (reading instanceof Document document && document.operation() != Operation.DELETE) {
                        documents += add(document, root);
                    }
                    reading = reader.next();
                }
            }
        }
        return documents;
    }

    /** What is no JSON counts for nothing here; the load itself makes it a dead letter. */
    private static int add(Document document, InferredField root) {
        try {
            JsonNode json = JSON.readTree(document.body().toBytes());
            if (json == null || !json.isObject()) {
                return 0;
            }
            root.add(document.operation() == Operation.UPDATE && json.has("doc") ? json.get("doc") : json);
            return 1;
        } catch (JsonProcessingException e) {
            return 0;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("bytes in memory cannot be read", e);
        }
    }

    private static void write(InferredField root, ObjectNode mapping, List<String> reasons) {
        var open = new TreeMap<String, Place>();
        open.put("", new Place(root, mapping));
        int fields = 0;
        while (!open.isEmpty()) {
            Place place = open.pollFirstEntry().getValue();
            ObjectNode properties = place.json.putObject("properties");
            for (InferredField field : place.field.children()) {
                if (field.isEmpty()) {
                    reasons.add("  %-30s not mapped: never has a value".formatted(field.path()));
                } else if (++fields > FIELDS_MAX) {
                    reasons.add(
                            "  %-30s not mapped: there are more than %,d fields".formatted(field.path(), FIELDS_MAX));
                } else if (field.isObject()) {
                    open.put(field.path(), new Place(field, properties.putObject(field.name())));
                } else {
                    reasons.add("  %-30s %s".formatted(field.path(), field.decide(properties.putObject(field.name()))));
                }
            }
        }
    }

    private record Place(InferredField field, ObjectNode json) {}
}
