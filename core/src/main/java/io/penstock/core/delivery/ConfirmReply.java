package io.penstock.core.delivery;

import java.util.List;

/** What the index holds under some ids. */
public sealed interface ConfirmReply {
    /** One entry for each item asked for, in order. */
    record Held(List<Copy> copies) implements ConfirmReply {}

    /** It could not be found out now. */
    record Unknown(String reason) implements ConfirmReply {}

    /**
     * @param found whether there is a document under the id
     * @param version its version, when found
     * @param sameSource whether its source equals the document that was sent
     */
    record Copy(boolean found, long version, boolean sameSource) {}
}
