package io.penstock.source.file;

import io.penstock.core.document.BadDocument;
import io.penstock.core.document.Body;
import io.penstock.core.document.EndOfPartition;
import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.source.file.bytes.LineReader;
import io.penstock.source.json.Fault;
import java.io.IOException;

/** One JSON object per line, handed on as the bytes it is; only the server, or a field asked for, parses it. */
final class NdjsonReader implements FormatReader {
    private final LineReader lines;
    private final DocumentMaker maker;

    NdjsonReader(LineReader lines, FileOptions options) {
        this.lines = lines;
        maker = new DocumentMaker(options);
    }

    @Override
    public Reading next() throws IOException {
        if (!lines.next()) {
            return EndOfPartition.END;
        }
        BadDocument bad = lines.fault();
        if (bad != null) {
            return bad;
        }
        Body line = lines.body();
        if (lines.firstNonBlank() != '{') {
            return new Fault("parse", "the line is not a JSON object").in(line, lines.position());
        }
        return maker.make(line, line, lines.position());
    }

    @Override
    public Position position() {
        return lines.nextPosition();
    }
}
