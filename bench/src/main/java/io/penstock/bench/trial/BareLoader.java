package io.penstock.bench.trial;

import io.penstock.core.batch.DocumentIds;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The yardstick: posts bodies of 5 MiB, four at a time, made from the same file, looks at nothing but the status 200,
 * and asks for almost no reply. Nothing that keeps its promises can be expected to be faster. A program of its own, so
 * that its JVM is as cold as the one it is compared with: {@code URL INDEX FILE server|sequential}.
 */
final class BareLoader {
    private static final int BODY_BYTES = 5 << 20;
    private static final int REQUESTS = 4;
    private static final int PREPARED = 2;
    private static final byte[] SERVER_ID = "{\"index\":{}}\n".getBytes(StandardCharsets.US_ASCII);

    private record Body(byte[] bytes, int length, int documents) {}

    private final URI bulk;
    private final boolean serverIds;
    private final DocumentIds ids;
    private final BlockingQueue<Body> full = new ArrayBlockingQueue<>(REQUESTS + PREPARED);
    private final BlockingQueue<byte[]> free = new ArrayBlockingQueue<>(REQUESTS + PREPARED);
    private final byte[] read = new byte[1 << 20];
    private int lineBegins;
    private int readEnds;
    private long offset;

    private BareLoader(String url, String index, boolean serverIds) {
        bulk = URI.create(url + "/" + index + "/_bulk?filter_path=took");
        this.serverIds = serverIds;
        ids = new DocumentIds(index, "bare");
    }

    public static void main(String[] args) throws Exception {
        long began = System.nanoTime();
        long documents = new BareLoader(args[0], args[1], args[3].equals("server")).load(Path.of(args[2]));
        double seconds = (System.nanoTime() - began) / 1e9;
        System.out.printf(
                Locale.ROOT,
                "{\"documents\":%d,\"seconds\":%.3f,\"docsPerSecond\":%.1f}%n",
                documents,
                seconds,
                documents / seconds);
    }

    private long load(Path file) throws Exception {
        for (int i = 0; i < REQUESTS + PREPARED; i++) {
            free.add(new byte[BODY_BYTES]);
        }
        long documents = 0;
        try (var senders = Executors.newVirtualThreadPerTaskExecutor();
                HttpClient client = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .build();
                InputStream in = Files.newInputStream(file)) {
            List<Future<?>> lanes = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                lanes.add(senders.submit(() -> send(client)));
            }
            Body body;
            do {
                body = prepare(in, free.take());
                documents += body.documents();
                full.put(body);
            } while (body.documents() > 0);
            for (Future<?> lane : lanes) {
                lane.get();
            }
        } catch (Exception failed) {
            System.err.println("bare loader: " + failed);
            Runtime.getRuntime().halt(1);
        }
        return documents;
    }

    /** Fills a body with whole documents; one without any is the end of the file. */
    private Body prepare(InputStream in, byte[] body) throws IOException {
        int length = 0;
        int documents = 0;
        for (int line = lineLength(in); line > 0; line = lineLength(in)) {
            byte[] action = serverIds ? SERVER_ID : action(offset);
            if (length + action.length + line > body.length) {
                break;
            }
            System.arraycopy(action, 0, body, length, action.length);
            System.arraycopy(read, lineBegins, body, length + action.length, line);
            length += action.length + line;
            documents++;
            lineBegins += line;
            offset += line;
        }
        return new Body(body, length, documents);
    }

    private byte[] action(long at) {
        return ("{\"index\":{\"_id\":\"" + ids.at(at) + "\"}}\n").getBytes(StandardCharsets.US_ASCII);
    }

    /** Bytes of the next line with its end; 0 when there is none. */
    private int lineLength(InputStream in) throws IOException {
        int at = lineBegins;
        while (true) {
            while (at < readEnds) {
                if (read[at++] == '\n') {
                    return at - lineBegins;
                }
            }
            System.arraycopy(read, lineBegins, read, 0, readEnds - lineBegins);
            readEnds -= lineBegins;
            lineBegins = 0;
            at = readEnds;
            int more = in.read(read, readEnds, read.length - readEnds);
            if (more < 0) {
                return 0;
            }
            readEnds += more;
        }
    }

    /** One of four: posts what is prepared until an empty body says that nothing follows. */
    private Void send(HttpClient client) throws IOException, InterruptedException {
        Body body = full.take();
        while (body.documents() > 0) {
            var request = HttpRequest.newBuilder(bulk)
                    .header("content-type", "application/x-ndjson")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(body.bytes(), 0, body.length()))
                    .build();
            int status =
                    client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            if (status != 200) {
                System.err.println("bare loader: the server answered " + status);
                Runtime.getRuntime().halt(1);
            }
            free.put(body.bytes());
            body = full.take();
        }
        full.put(body);
        return null;
    }
}
