package io.penstock.source.file;

import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.source.file.bytes.BrokenInputException;
import java.io.IOException;

/** Reads one file of one format; {@link FileReader} makes a source reader of it. */
interface FormatReader {
    /**
     * The next document, or bad document, or the end.
     *
     * @throws BrokenInputException when nothing can be read behind {@link #position}
     */
    Reading next() throws IOException;

    /** Where the next reading begins. */
    Position position();
}
