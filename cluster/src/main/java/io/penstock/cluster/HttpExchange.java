package io.penstock.cluster;

import io.penstock.core.delivery.BulkReply;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.DefaultClientConnectionReuseStrategy;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.client5.http.ssl.NoopHostnameVerifier;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.io.ResponseOutOfOrderStrategy;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http.ssl.TLS;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Carries one HTTP request under one total deadline, which covers everything from connecting to the last byte of the
 * answer. Never follows a redirect, never repeats a request by itself. Thread-safe.
 */
final class HttpExchange implements AutoCloseable {
    private static final Timeout CONNECT_TIMEOUT = Timeout.ofSeconds(5);
    private static final int CONNECTIONS_MAX = 1024;

    private final CloseableHttpClient client;
    private final Credentials credentials;
    private final ScheduledExecutorService deadlines;

    HttpExchange(ClusterOptions options) {
        this.credentials = options.credentials();
        var watchdog = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "deadlines");
            thread.setDaemon(true);
            return thread;
        });
        watchdog.setRemoveOnCancelPolicy(true);
        this.deadlines = watchdog;
        PoolingHttpClientConnectionManagerBuilder connections = PoolingHttpClientConnectionManagerBuilder.create()
                .setMaxConnPerRoute(CONNECTIONS_MAX)
                .setMaxConnTotal(CONNECTIONS_MAX)
                .setConnectionFactory(ManagedHttpClientConnectionFactory.builder()
                        .responseOutOfOrderStrategy(new AnswerBeforeBodyEnds())
                        .build())
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(CONNECT_TIMEOUT)
                        .setSocketTimeout(Timeout.of(options.requestDeadline()))
                        .setValidateAfterInactivity(Timeout.ofSeconds(1))
                        .build());
        boolean tls = options.targets().stream().anyMatch(uri -> "https".equals(uri.getScheme()));
        if (tls) {
            connections.setTlsSocketStrategy(new DefaultClientTlsStrategy(
                    TlsContext.of(options.tls()),
                    new String[] {TLS.V_1_3.getId(), TLS.V_1_2.getId()},
                    null,
                    null,
                    options.tls().insecure() ? HostnameVerificationPolicy.CLIENT : HostnameVerificationPolicy.BOTH,
                    options.tls().insecure() ? NoopHostnameVerifier.INSTANCE : null));
        }
        PoolingHttpClientConnectionManager manager = connections.build();
        this.client = HttpClients.custom()
                .setConnectionManager(manager)
                .setDefaultRequestConfig(RequestConfig.custom()
                        .setResponseTimeout(Timeout.of(options.requestDeadline()))
                        .setConnectionRequestTimeout(Timeout.ofSeconds(30))
                        .setExpectContinueEnabled(false)
                        .build())
                .setConnectionReuseStrategy(HttpExchange::keepsConnection)
                .setUserAgent("penstock")
                .disableAutomaticRetries()
                .disableRedirectHandling()
                .disableCookieManagement()
                .disableAuthCaching()
                .disableContentCompression()
                .build();
    }

    /** A server that refused a body as too large may listen no more on the connection, and never say so. */
    private static boolean keepsConnection(HttpRequest request, HttpResponse answer, HttpContext context) {
        return answer.getCode() != 413
                && DefaultClientConnectionReuseStrategy.INSTANCE.keepAlive(request, answer, context);
    }

    /** Reads an answer; the stream ends with the request's deadline at the latest. */
    @FunctionalInterface
    interface AnswerReader<T> {
        T read(ClassicHttpResponse answer, InputStream body) throws IOException;
    }

    /** There was no answer that can be used. */
    static final class NoAnswerException extends Exception {
        private final BulkReply.Cause reason;

        NoAnswerException(BulkReply.Cause reason, String message, @Nullable Throwable cause) {
            super(message, cause);
            this.reason = reason;
        }

        BulkReply.Cause reason() {
            return reason;
        }
    }

    /** An answer came and makes no sense. */
    static final class GarbledException extends IOException {
        private final BulkReply.Cause reason;

        GarbledException(BulkReply.Cause reason, String message, @Nullable Throwable cause) {
            super(message, cause);
            this.reason = reason;
        }
    }

    <T> T call(String method, URI uri, @Nullable HttpEntity entity, Duration deadline, AnswerReader<T> reader)
            throws NoAnswerException {
        var request = new HttpUriRequestBase(method, uri);
        if (entity != null) {
            request.setEntity(entity);
        }
        credentials.header().ifPresent(value -> request.setHeader("Authorization", value));
        var expired = new AtomicBoolean();
        ScheduledFuture<?> watchdog = deadlines.schedule(
                () -> {
                    expired.set(true);
                    request.cancel();
                },
                deadline.toMillis(),
                TimeUnit.MILLISECONDS);
        try {
            return client.execute(request, answer -> {
                HttpEntity body = answer.getEntity();
                if (answer.getCode() == 401 || answer.getCode() == 403) {
                    credentials.refresh();
                }
                if (body == null) {
                    return reader.read(answer, InputStream.nullInputStream());
                }
                try (InputStream in = body.getContent()) {
                    return readOrHangUp(request, reader, answer, in);
                }
            });
        } catch (IOException | IllegalStateException e) {
            throw noAnswer(uri, e, expired.get(), deadline);
        } finally {
            watchdog.cancel(false);
        }
    }

    /** Closing the stream of a body reads the rest of it, which for a hostile answer may be without end. */
    private static <T> T readOrHangUp(
            HttpUriRequestBase request, AnswerReader<T> reader, ClassicHttpResponse answer, InputStream in)
            throws IOException {
        try {
            return reader.read(answer, new LeftOpen(in));
        } catch (IOException | RuntimeException e) {
            request.cancel();
            throw e;
        }
    }

    /** A JSON parser closes what it has read also when it gives up, before anybody could hang up. */
    private static final class LeftOpen extends FilterInputStream {
        LeftOpen(InputStream in) {
            super(in);
        }

        @Override
        public void close() {}
    }

    private static NoAnswerException noAnswer(URI uri, Exception e, boolean expired, Duration deadline) {
        String node = uri.getHost() + ":" + uri.getPort();
        if (expired || (e instanceof SocketTimeoutException && !(e instanceof ConnectTimeoutException))) {
            return new NoAnswerException(
                    BulkReply.Cause.TIMED_OUT,
                    "%s did not answer within %d s".formatted(node, deadline.toSeconds()),
                    e);
        }
        return switch (e) {
            case GarbledException garbled ->
                new NoAnswerException(garbled.reason, node + ": " + garbled.getMessage(), e);
            case ConnectTimeoutException timeout ->
                new NoAnswerException(
                        BulkReply.Cause.NOT_CONNECTED, node + " cannot be reached: connecting took too long", e);
            case ConnectException refused ->
                new NoAnswerException(BulkReply.Cause.NOT_CONNECTED, "nothing listens at " + node, e);
            case NoRouteToHostException route ->
                new NoAnswerException(BulkReply.Cause.NOT_CONNECTED, "there is no route to " + node, e);
            case UnknownHostException unknown ->
                new NoAnswerException(
                        BulkReply.Cause.NOT_CONNECTED, "the host %s is not known".formatted(uri.getHost()), e);
            case SSLException tls -> untrusted(node, tls);
            default ->
                new NoAnswerException(
                        BulkReply.Cause.CLOSED,
                        "%s closed the connection without an answer (%s)".formatted(node, e.getMessage()),
                        e);
        };
    }

    /** A handshake that fails on trust will fail again; one that was cut off may not. */
    private static NoAnswerException untrusted(String node, SSLException e) {
        String message = String.valueOf(e.getMessage());
        if (meetsPlainText(e)) {
            return new NoAnswerException(
                    BulkReply.Cause.UNTRUSTED, "%s does not speak TLS: use http:// for it".formatted(node), e);
        }
        boolean trust = (e instanceof SSLHandshakeException && !message.contains("terminated"))
                || e instanceof SSLPeerUnverifiedException;
        return new NoAnswerException(
                trust ? BulkReply.Cause.UNTRUSTED : BulkReply.Cause.CLOSED,
                "the TLS connection to %s failed: %s".formatted(node, message),
                e);
    }

    /** Whether a failed handshake means that the port does not speak TLS at all. */
    static boolean meetsPlainText(@Nullable Throwable failure) {
        String message = failure instanceof SSLException ? String.valueOf(failure.getMessage()) : "";
        return message.contains("plaintext") || message.contains("Unsupported or unrecognized SSL message");
    }

    @Override
    public void close() {
        deadlines.shutdownNow();
        client.close(org.apache.hc.core5.io.CloseMode.IMMEDIATE);
    }

    /**
     * A server that finds a body too large answers before it has read it, and may then stop reading: look for the
     * answer between two writes. Asking costs one system call for each 128 KiB chunk.
     */
    private static final class AnswerBeforeBodyEnds implements ResponseOutOfOrderStrategy {
        @Override
        public boolean isEarlyResponseDetected(
                org.apache.hc.core5.http.ClassicHttpRequest request,
                org.apache.hc.core5.http.io.HttpClientConnection connection,
                InputStream inputStream,
                long totalBytesSent,
                long nextWriteSize)
                throws IOException {
            return inputStream.available() > 0;
        }
    }
}
