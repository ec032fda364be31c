package io.penstock.cluster;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.core.document.Body;
import io.penstock.core.document.Document;
import io.penstock.core.document.EndOfPartition;
import io.penstock.core.document.Idle;
import io.penstock.core.document.Operation;
import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceReader;
import io.penstock.job.TargetException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * Reads one slice of an index through a scroll, with the next page on its way while one is given out. The order of a
 * scroll is not the same twice: whenever it must be opened anew (after an outage, on a resume), the slice is read from
 * its beginning, and external versions keep what is there already.
 */
final class SliceReader implements SourceReader {
    private static final JsonFactory PAGES = new JsonFactoryBuilder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String KEEP_ALIVE = "10m";
    private static final Duration PAGE_DEADLINE = Duration.ofMinutes(5);
    private static final long IDLE_AFTER_MILLIS = 1000;
    private static final long RETRY_MILLIS = 2000;
    private static final long PAGE_BYTES = 4 << 20;
    private static final int PAGE_BYTES_MAX = 24 << 20;
    private static final int ONE_DOCUMENT_BYTES_MAX = 128 << 20;
    private static final int PAGE_DOCUMENTS_MAX = 2000;
    /** What a stored byte is as JSON, about. */
    private static final int EXPANSION = 3;

    private final Cluster cluster;
    private final CopiedIndex copied;
    private final ObjectNode search;
    private final long storedBytes;
    private final long documents;
    private final Duration outageMax;
    private final Consumer<String> told;
    private final Deque<Hit> hits = new ArrayDeque<>();
    private byte[] page = {};
    private int pageDocuments;
    private String scroll = "";
    private @Nullable FutureTask<Page> coming;
    private long given;
    private long failingSince = -1;

    /**
     * @param storedBytes and {@code documents} what the slice has, about
     * @param told hears what a person should know
     * @param from how many readings were given out before this reader
     */
    SliceReader(
            Cluster cluster,
            CopiedIndex copied,
            ObjectNode search,
            long storedBytes,
            long documents,
            Duration outageMax,
            Consumer<String> told,
            Position from) {
        this.cluster = cluster;
        this.copied = copied;
        this.search = search;
        this.storedBytes = storedBytes;
        this.documents = documents;
        this.outageMax = outageMax;
        this.told = told;
        this.given = from.offset();
        this.pageDocuments = batchDocuments(storedBytes, documents);
    }

    /** Documents that make a request of a few megabytes. */
    static int batchDocuments(long storedBytes, long documents) {
        long each = Math.max(1, storedBytes * EXPANSION / Math.max(1, documents));
        return Math.clamp(PAGE_BYTES / each, 1, PAGE_DOCUMENTS_MAX);
    }

    /** One document in a page, with the address it has. */
    private record Hit(String id, @Nullable String routing, long version, int from, int length) {}

    /** What one request brought. */
    private sealed interface Page {
        record Documents(byte[] bytes, List<Hit> hits, String scroll) implements Page {}

        /** The page is larger than memory allows. */
        record TooLarge() implements Page {}

        /** The cluster has no answer for now, or has forgotten the scroll. */
        record Failed(String why) implements Page {}

        /** The cluster says no, and will say it again. */
        record Refused(String why) implements Page {}
    }

    @Override
    public Reading next() throws SourceException {
        try {
            Hit hit = hits.poll();
            if (hit != null) {
                return document(hit);
            }
            return nextPage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SourceException(SourceException.Reason.GONE, "reading was stopped", position(), e);
        }
    }

    private Document document(Hit hit) {
        var position = position();
        given++;
        return new Document(
                Operation.INDEX,
                hit.id(),
                hit.routing(),
                hit.version(),
                null,
                null,
                Body.borrowed(page, hit.from(), hit.length()),
                position);
    }

    private Reading nextPage() throws SourceException, InterruptedException {
        if (coming == null) {
            ask();
        }
        switch (arrived()) {
            case null -> {
                return Idle.IDLE;
            }
            case Page.Documents documents -> {
                failingSince = -1;
                coming = null;
                scroll = documents.scroll();
                page = documents.bytes();
                hits.addAll(documents.hits());
                Hit first = hits.poll();
                if (first == null) {
                    forget();
                    return EndOfPartition.END;
                }
                ask();
                return document(first);
            }
            case Page.TooLarge tooLarge -> {
                if (pageDocuments == 1) {
                    throw new SourceException(
                            SourceException.Reason.CORRUPT,
                            "%s has a document of more than %,d bytes".formatted(copied.name(), ONE_DOCUMENT_BYTES_MAX),
                            position());
                }
                pageDocuments = Math.max(1, pageDocuments / 8);
                beginAnew();
                return Idle.IDLE;
            }
            case Page.Refused refused ->
                throw new SourceException(
                        SourceException.Reason.GONE,
                        "%s cannot be read: %s".formatted(copied.name(), refused.why()),
                        position());
            case Page.Failed failed -> {
                onFailure(failed.why());
                return Idle.IDLE;
            }
        }
    }

    private void onFailure(String why) throws SourceException, InterruptedException {
        long now = System.nanoTime();
        if (failingSince < 0) {
            failingSince = now;
            told.accept("%s cannot be read now: %s; trying again".formatted(copied.name(), why));
        }
        if (!outageMax.isZero() && now - failingSince > outageMax.toNanos()) {
            throw new SourceException(
                    SourceException.Reason.GONE,
                    "%s could not be read for %d s: %s".formatted(copied.name(), outageMax.toSeconds(), why),
                    position());
        }
        TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        beginAnew();
    }

    private void beginAnew() {
        forget();
        coming = null;
        scroll = "";
    }

    private @Nullable Page arrived() throws InterruptedException {
        try {
            return Objects.requireNonNull(coming).get(IDLE_AFTER_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return null;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TargetException refused
                    && refused.reason() == TargetException.Reason.UNUSABLE) {
                return new Page.Failed(String.valueOf(refused.getMessage()));
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private void ask() {
        String from = scroll;
        int size = pageDocuments;
        var task = new FutureTask<>(() -> from.isEmpty() ? first(size) : following(from, size));
        coming = task;
        Thread.ofVirtual().name("source").start(task);
    }

    private Page first(int size) {
        return cluster.call(
                "POST",
                "%s/_search?scroll=%s&allow_partial_search_results=false".formatted(copied.path(), KEEP_ALIVE),
                search.deepCopy().put("size", size),
                PAGE_DEADLINE,
                (answer, body) -> page(answer, body, size));
    }

    /** Asked for once: the cluster gives each page of a scroll once, and a second time it would be the one after. */
    private Page following(String id, int size) {
        try {
            return cluster.callOnce(
                    "POST",
                    "/_search/scroll",
                    JSON.createObjectNode().put("scroll", KEEP_ALIVE).put("scroll_id", id),
                    PAGE_DEADLINE,
                    (answer, body) -> page(answer, body, size));
        } catch (HttpExchange.NoAnswerException e) {
            return new Page.Failed(String.valueOf(e.getMessage()));
        }
    }

    private static Page page(ClassicHttpResponse answer, InputStream body, int size) throws IOException {
        int limit = size == 1 ? ONE_DOCUMENT_BYTES_MAX : PAGE_BYTES_MAX;
        byte[] bytes = body.readNBytes(limit + 1);
        if (answer.getCode() != 200) {
            String text = new String(bytes, StandardCharsets.UTF_8);
            return new Page.Failed(
                    "%s (HTTP %d)".formatted(Replies.reason(Replies.error(text), text), answer.getCode()));
        }
        return bytes.length > limit ? new Page.TooLarge() : parse(bytes);
    }

    // ---- the answer ---------------------------------------------------------------------------------------------

    private static Page parse(byte[] bytes) throws IOException {
        var hits = new ArrayList<Hit>();
        String scroll = "";
        int failedShards = 0;
        try (JsonParser parser = PAGES.createParser(bytes)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                switch (name) {
                    case "_scroll_id" -> scroll = parser.getText();
                    case "_shards" -> failedShards = failedShards(parser);
                    case "hits" -> hits(parser, bytes, hits);
                    default -> parser.skipChildren();
                }
            }
        }
        return failedShards > 0
                ? new Page.Failed("%d shards failed".formatted(failedShards))
                : new Page.Documents(bytes, hits, scroll);
    }

    private static int failedShards(JsonParser parser) throws IOException {
        int failed = 0;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            if (name.equals("failed")) {
                failed = parser.getIntValue();
            } else {
                parser.skipChildren();
            }
        }
        return failed;
    }

    private static void hits(JsonParser parser, byte[] bytes, List<Hit> hits) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            if (name.equals("hits") && value == JsonToken.START_ARRAY) {
                while (parser.nextToken() == JsonToken.START_OBJECT) {
                    hits.add(hit(parser, bytes));
                }
            } else {
                parser.skipChildren();
            }
        }
    }

    private static Hit hit(JsonParser parser, byte[] bytes) throws IOException {
        String id = "";
        String routing = null;
        long version = Document.NO_VERSION;
        int from = 0;
        int until = 0;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            switch (name) {
                case "_id" -> id = parser.getText();
                case "_routing" -> routing = parser.getText();
                case "_version" -> version = parser.getLongValue();
                case "_source" -> {
                    from = (int) parser.currentTokenLocation().getByteOffset();
                    parser.skipChildren();
                    until = (int) parser.currentLocation().getByteOffset();
                }
                default -> parser.skipChildren();
            }
        }
        oneLine(bytes, from, until);
        return new Hit(id, routing, version, from, until - from);
    }

    /** A document keeps the line ends it was sent with; they can only be between its members, never inside of one. */
    private static void oneLine(byte[] bytes, int from, int until) {
        for (int i = from; i < until; i++) {
            if (bytes[i] == '\n' || bytes[i] == '\r') {
                bytes[i] = ' ';
            }
        }
    }

    // ---- place and end ------------------------------------------------------------------------------------------

    @Override
    public Position position() {
        return new Position(given, 0);
    }

    @Override
    public long storedBytesRead() {
        return Math.min(storedBytes, given * storedBytes / Math.max(1, documents));
    }

    @Override
    public void close() {
        forget();
    }

    /** Frees what the cluster keeps for us; if that fails, it does so by itself after a while. */
    private void forget() {
        if (!scroll.isEmpty()) {
            ObjectNode body = JSON.createObjectNode();
            body.putArray("scroll_id").add(scroll);
            try {
                cluster.callOnce("DELETE", "/_search/scroll", body, Duration.ofSeconds(5));
            } catch (HttpExchange.NoAnswerException e) {
                // It ends by itself.
            }
        }
    }
}
