package io.penstock.cluster;

import io.penstock.job.TargetException;
import java.net.URI;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.jspecify.annotations.Nullable;

/** Requests as they are: never sent again, never shared between nodes. For measuring. Thread-safe. */
public final class PlainRequests implements AutoCloseable {
    private static final ContentType LINES = ContentType.create("application/x-ndjson");

    private final ClusterOptions options;
    private final HttpExchange http;

    public PlainRequests(ClusterOptions options) {
        this.options = options;
        this.http = new HttpExchange(options);
    }

    /** What came back, whatever the status. */
    public record Answer(int status, byte[] body) {
        public boolean isOk() {
            return status / 100 == 2;
        }
    }

    /**
     * Sends one request and reads the whole answer.
     *
     * @param path with its query, from the root
     * @throws TargetException if there is no whole answer within the deadline of the options
     */
    public Answer send(String method, URI node, String path, byte @Nullable [] body) {
        try {
            return http.call(
                    method,
                    Paths.at(node, path),
                    body == null
                            ? null
                            : new ByteArrayEntity(body, path.contains("/_bulk") ? LINES : ContentType.APPLICATION_JSON),
                    options.requestDeadline(),
                    (answer, in) -> new Answer(answer.getCode(), in.readAllBytes()));
        } catch (HttpExchange.NoAnswerException e) {
            throw new TargetException(TargetException.Reason.UNUSABLE, String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
