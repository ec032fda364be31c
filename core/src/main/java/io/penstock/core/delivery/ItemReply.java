package io.penstock.core.delivery;

import org.jspecify.annotations.Nullable;

/**
 * The server's answer for one item.
 *
 * @param operation the key of the item: {@code index}, {@code create}, {@code update} or {@code delete}
 * @param id the document's id
 * @param status the item's HTTP status
 * @param noop whether the result is {@code noop}: a pipeline dropped the document, or an update changed nothing
 * @param error what went wrong, or null
 */
public record ItemReply(
        String operation,
        String id,
        int status,
        boolean noop,
        @Nullable Failure error) {
    /** An item that was carried out. */
    public static ItemReply done(String operation, String id, int status) {
        return new ItemReply(operation, id, status, false, null);
    }

    /**
     * Why an item failed.
     *
     * @param type the error's type, for example {@code mapper_parsing_exception}
     * @param reason the error's reason, with that of its cause
     */
    public record Failure(String type, String reason) {}
}
