package io.penstock.source.json;

import io.penstock.core.document.Document;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What a server accepts as {@code _id} and as external version: one bad one makes it refuse the whole request. */
public final class DocumentId {
    private static final int MAX_BYTES = 512;
    /** One character has at most three bytes of UTF-8, so that shorter ids need no counting. */
    private static final int SURELY_SHORT = MAX_BYTES / 3;

    private DocumentId() {}

    /** What is wrong with an id, as the end of a sentence, or null. */
    public static @Nullable String wrong(String id) {
        if (id.isEmpty()) {
            return "is empty";
        }
        if (id.length() <= SURELY_SHORT && id.chars().noneMatch(c -> Character.isSurrogate((char) c))) {
            return null;
        }
        try {
            int bytes = StandardCharsets.UTF_8
                    .newEncoder()
                    .encode(CharBuffer.wrap(id))
                    .remaining();
            return bytes > MAX_BYTES ? "has " + bytes + " bytes, and servers take at most " + MAX_BYTES : null;
        } catch (CharacterCodingException e) {
            return "has half a surrogate pair";
        }
    }

    /** The version that the text says, or {@link Document#NO_VERSION} if it is not one. */
    public static long version(String text) {
        if (text.isEmpty() || text.length() > 19 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return Document.NO_VERSION;
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return Document.NO_VERSION;
        }
    }
}
