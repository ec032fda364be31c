package io.penstock.bench;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/**
 * Clients in a closed loop, each with one connection and one bulk at a time. Requests are made before and answers
 * looked at no more than needed, because on a small machine each cycle of the clients' is one less for the server that
 * is measured.
 */
final class BulkClients {
    private final URI url;
    private final String index;
    private final List<byte[]> requests = new ArrayList<>();

    /**
     * What was measured, without the time to warm up.
     *
     * @param micros how long requests took
     */
    record Result(double docsPerSecond, Histogram micros) {
        double p99Millis() {
            return micros.getValueAtPercentile(99) / 1_000.0;
        }
    }

    BulkClients(URI url, String index, int documents, long seed) {
        this.url = url;
        this.index = index;
        var workload = new TaxiWorkload(seed);
        for (int i = 0; i < Math.max(8, 4_000 / documents); i++) {
            requests.add(request(workload.bulk(documents)));
        }
    }

    private byte[] request(byte[] body) {
        byte[] head =
                "POST /%s/_bulk?filter_path=errors HTTP/1.1\r\nHost: bench\r\nContent-Type: application/x-ndjson\r\nContent-Length: %d\r\n\r\n"
                        .formatted(index, body.length)
                        .getBytes(StandardCharsets.US_ASCII);
        byte[] request = new byte[head.length + body.length];
        System.arraycopy(head, 0, request, 0, head.length);
        System.arraycopy(body, 0, request, head.length, body.length);
        return request;
    }

    Result run(int clients, int documents, double warmSeconds, double seconds)
            throws InterruptedException, ExecutionException {
        long measureFrom = System.nanoTime() + (long) (warmSeconds * 1e9);
        long until = measureFrom + (long) (seconds * 1e9);
        var bulks = new LongAdder();
        var micros = new org.HdrHistogram.ConcurrentHistogram(3_600_000_000L, 3);
        try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
            List<Future<?>> running = new ArrayList<>();
            for (int client = 0; client < clients; client++) {
                int first = client;
                running.add(threads.submit(() -> {
                    loop(first, measureFrom, until, bulks, micros);
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
        return new Result(bulks.sum() * documents / seconds, micros);
    }

    private void loop(int first, long measureFrom, long until, LongAdder bulks, Histogram micros) throws IOException {
        try (Socket socket = new Socket(url.getHost(), url.getPort())) {
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            InputStream in = socket.getInputStream();
            var answer = new byte[8_192];
            int next = first;
            while (true) {
                long began = System.nanoTime();
                out.write(requests.get(next++ % requests.size()));
                readAnswer(in, answer);
                long ended = System.nanoTime();
                if (ended - until > 0) {
                    return;
                }
                if (ended - measureFrom > 0) {
                    bulks.increment();
                    micros.recordValue((ended - began) / 1_000);
                }
            }
        }
    }

    private static void readAnswer(InputStream in, byte[] answer) throws IOException {
        int length = 0;
        int end = -1;
        while (end < 0) {
            int count = in.read(answer, length, answer.length - length);
            if (count < 0) {
                throw new EOFException("the server closed a connection");
            }
            length += count;
            end = endOfAnswer(answer, length);
        }
        String text = new String(answer, 0, end, StandardCharsets.US_ASCII);
        if (!text.startsWith("HTTP/1.1 200") || !text.endsWith("{\"errors\":false}")) {
            throw new IOException("a bulk failed, so that there is nothing to compare: " + text);
        }
    }

    /** Where the answer ends, or -1 as long as it is not all there. */
    private static int endOfAnswer(byte[] answer, int length) {
        String text = new String(answer, 0, length, StandardCharsets.US_ASCII);
        int head = text.indexOf("\r\n\r\n");
        if (head < 0) {
            return -1;
        }
        int at = text.toLowerCase(java.util.Locale.ROOT).indexOf("content-length: ");
        int body = Integer.parseInt(text.substring(at + 16, text.indexOf('\r', at)));
        return length >= head + 4 + body ? head + 4 + body : -1;
    }
}
