package io.penstock.source.json;

import io.penstock.core.document.BadDocument;
import io.penstock.core.document.Body;
import io.penstock.core.document.Position;

/**
 * Why a record cannot be a document.
 *
 * @param type see {@link BadDocument#type()}
 * @param reason see {@link BadDocument#reason()}
 */
public record Fault(String type, String reason) {
    /** A bad document for this reason. */
    public BadDocument in(Body original, Position at) {
        return new BadDocument(type, reason, original, original.size(), at);
    }
}
