package io.penstock.source.file;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.core.document.Body;
import io.penstock.source.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Where readers of other formats write a document's JSON; used again for the next one. */
final class ReusedBytes extends ByteArrayOutputStream {
    private static final int KEPT_BYTES = 1024 * 1024;

    ReusedBytes() {
        super(8 * 1024);
    }

    /** A generator for one more document, in place of the one before. */
    JsonGenerator begin() throws IOException {
        if (buf.length > KEPT_BYTES) {
            buf = new byte[KEPT_BYTES];
        }
        reset();
        return Json.FACTORY.createGenerator(this);
    }

    /** What was written; valid until the next {@link #begin}. */
    Body body() {
        return Body.borrowed(buf, 0, count);
    }
}
