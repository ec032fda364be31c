package io.penstock.source.file;

import io.penstock.core.document.Operation;
import java.util.Optional;

/**
 * How files are read.
 *
 * @param format the format of all files, or {@link Format#AUTO}
 * @param operation what to do with each document; a bulk file says so itself, in its action lines
 * @param idField the field or column with the {@code _id}; dots lead into objects. Not for bulk files, nor are the two
 *     that follow
 * @param routingField the field or column with the routing value; a document may be without it
 * @param versionField the field or column with the external version
 * @param maxDocumentBytes documents with more bytes than this in the file are bad documents
 */
public record FileOptions(
        Format format,
        Operation operation,
        Optional<String> idField,
        Optional<String> routingField,
        Optional<String> versionField,
        long maxDocumentBytes) {
    /** What a search server takes in one request unless configured otherwise ({@code http.max_content_length}). */
    public static final long DEFAULT_MAX_DOCUMENT_BYTES = 100L * 1024 * 1024;

    /** @throws IllegalArgumentException if a server would refuse every such document */
    public FileOptions {
        boolean needsId = operation == Operation.DELETE || operation == Operation.UPDATE;
        if (needsId && format != Format.BULK && idField.isEmpty()) {
            throw new IllegalArgumentException(operation.actionName() + " needs the name of the field with the id");
        }
        boolean versioned = operation == Operation.INDEX || operation == Operation.DELETE;
        if (versionField.isPresent() && !versioned) {
            throw new IllegalArgumentException(
                    operation.actionName() + " cannot be used with a version field: servers refuse it");
        }
        if (maxDocumentBytes < 1) {
            throw new IllegalArgumentException("the limit for documents must be positive: " + maxDocumentBytes);
        }
    }

    /** Documents without id, to be indexed, in the format each file seems to have. */
    public static FileOptions defaults() {
        return of(Format.AUTO);
    }

    /** Documents without id, to be indexed. */
    public static FileOptions of(Format format) {
        return new FileOptions(
                format,
                Operation.INDEX,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                DEFAULT_MAX_DOCUMENT_BYTES);
    }
}
