package io.penstock.source.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.core.document.BadDocument;
import io.penstock.core.document.Body;
import io.penstock.core.document.EndOfPartition;
import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.source.file.bytes.LineReader;
import io.penstock.source.json.Fault;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Lines of the Apache web server's common and combined log formats, mixed as they come. */
final class ApacheLogReader implements FormatReader {
    private final LineReader lines;
    private final DocumentMaker maker;
    private final ReusedBytes json = new ReusedBytes();

    ApacheLogReader(LineReader lines, FileOptions options) {
        this.lines = lines;
        maker = new DocumentMaker(options);
    }

    /** Whether this is a line of such a log. */
    static boolean matches(String line) {
        return ApacheLogLine.parse(line.stripTrailing().getBytes(UTF_8)) != null;
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
        Body original = lines.body();
        ApacheLogLine line = ApacheLogLine.parse(original.toBytes());
        if (line == null) {
            return new Fault("format", "the line is neither in common nor in combined log format")
                    .in(original, lines.position());
        }
        write(line);
        return maker.make(json.body(), original, lines.position());
    }

    private void write(ApacheLogLine line) throws IOException {
        try (JsonGenerator generator = json.begin()) {
            generator.writeStartObject();
            generator.writeStringField("@timestamp", line.timestamp());
            writeText(generator, "clientip", line.clientIp());
            writeText(generator, "ident", line.ident());
            writeText(generator, "auth", line.auth());
            writeRequest(generator, line.request());
            generator.writeNumberField("status", line.status());
            if (line.bytes() != ApacheLogLine.NO_BYTES) {
                generator.writeNumberField("bytes", line.bytes());
            }
            writeText(generator, "referer", line.referer());
            writeText(generator, "agent", line.agent());
            generator.writeEndObject();
        }
    }

    /** A request as in HTTP/1 becomes three fields; anything else that clients send stays one, {@code request}. */
    private static void writeRequest(JsonGenerator generator, ApacheLogLine.@Nullable Text request) throws IOException {
        if (request == null) {
            return;
        }
        int first = request.indexOf(' ');
        int last = request.lastIndexOf(' ');
        if (first <= 0 || last <= first + 1 || !request.startsWith("HTTP/", last + 1)) {
            writeText(generator, "request", request);
            return;
        }
        writeText(generator, "method", request.slice(0, first));
        writeText(generator, "path", request.slice(first + 1, last));
        writeText(generator, "protocol", request.slice(last + 1, request.length()));
    }

    private static void writeText(JsonGenerator generator, String name, ApacheLogLine.@Nullable Text text)
            throws IOException {
        if (text != null) {
            generator.writeFieldName(name);
            text.writeTo(generator);
        }
    }

    @Override
    public Position position() {
        return lines.nextPosition();
    }
}
