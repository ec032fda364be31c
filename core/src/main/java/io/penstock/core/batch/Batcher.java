package io.penstock.core.batch;

import io.penstock.core.document.BadDocument;
import io.penstock.core.document.Document;
import io.penstock.core.document.Position;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Step 3 of the load path. Writes action line and body of each document into the buffers of one batch, until the batch
 * has its bytes. One batcher makes one batch. Not thread-safe.
 */
public final class Batcher {
    /** A batch has at most this many documents, so that its table of items stays small beside its bytes. */
    public static final int DOCUMENTS_MAX = 20_000;

    private final int partition;
    private final BufferPool pool;
    private final long reservedBytes;
    private final long limitBytes;
    private final String index;
    private final boolean serverIds;
    private final ItemTable items = new ItemTable();
    private final List<byte[]> segments = new ArrayList<>();
    private final List<Long> segmentEnds = new ArrayList<>();
    private final List<BadDocument> badDocuments = new ArrayList<>();
    private final ActionLine action = new ActionLine();
    private final BitSet pooledSegments = new BitSet();
    private byte[] current = {};
    private int fill;
    private long bytes;
    private long badBytes;
    private long sourceBytes;
    private int elsewhere;
    private int named;

    /**
     * @param partition ordinal of the partition
     * @param pool where the buffers come from
     * @param reservedBytes what was {@linkplain BufferPool#reserve reserved} for this batch; returned with it
     * @param limitBytes bytes of the bulk body that it may reach; a first document may be larger
     * @param index the load's own index, which action lines need not name
     * @param serverIds whether documents without an id are sent without one
     */
    public Batcher(
            int partition, BufferPool pool, long reservedBytes, long limitBytes, String index, boolean serverIds) {
        this.partition = partition;
        this.pool = pool;
        this.reservedBytes = reservedBytes;
        this.limitBytes = limitBytes;
        this.index = index;
        this.serverIds = serverIds;
    }

    /** Bytes that a document takes at most in a bulk body, for reserving room for a large one. */
    public static long bytesFor(Document document) {
        long metadata = 200;
        metadata += 6L * length(document.id()) + 6L * length(document.routing()) + 6L * length(document.index());
        return document.body().size() + metadata + 4L * length(document.extraMetadata());
    }

    /** The same for what cannot be sent and is kept for the dead letters. */
    public static long bytesFor(BadDocument bad) {
        return bad.body().size() + 200;
    }

    /** Whether the document still fits below the limit. The first one always does. */
    public boolean hasRoomFor(Document document) {
        return hasRoomFor(bytesFor(document));
    }

    /** The same for what cannot be sent. */
    public boolean hasRoomFor(BadDocument bad) {
        return hasRoomFor(bytesFor(bad));
    }

    private boolean hasRoomFor(long more) {
        return isEmpty() || (documents() < DOCUMENTS_MAX && bytes + badBytes + more <= limitBytes);
    }

    /**
     * Appends one document.
     *
     * @param id the id to send; empty to let the server make one
     * @param jobId whether the id was made from job and position
     */
    public void add(Document document, String id, boolean jobId) {
        long before = bytes;
        boolean goesElsewhere = document.index() != null && !document.index().equals(index);
        elsewhere += goesElsewhere ? 1 : 0;
        named += jobId || id.isEmpty() ? 0 : 1;
        action.write(document, id, goesElsewhere);
        append(action.bytes(), 0, action.length());
        if (document.operation().hasBody()) {
            if (document.body().isOwned()) {
                adopt(document);
            } else {
                document.body().forEachPiece(this::append);
            }
            append(ActionLine.NEWLINE, 0, 1);
        }
        sourceBytes += document.body().size();
        items.add(document, id, jobId, action.length(), bytes);
        if (bytes <= before) {
            throw new IllegalStateException("an item without bytes");
        }
    }

    /** Notes an input that cannot be sent, to be dead-lettered in its place. */
    public void add(BadDocument bad) {
        badDocuments.add(
                new BadDocument(bad.type(), bad.reason(), Batch.kept(bad.body()), bad.bytes(), bad.position()));
        badBytes += bytesFor(bad);
        sourceBytes += bad.bytes();
    }

    /** Whether nothing is in it. */
    public boolean isEmpty() {
        return documents() == 0;
    }

    /** Whether it has all the documents or bytes it may have. */
    public boolean isFull() {
        return documents() >= DOCUMENTS_MAX || bytes + badBytes >= limitBytes;
    }

    /** Documents in it, good and bad. */
    public int documents() {
        return items.count() + badDocuments.size();
    }

    /**
     * Closes the batch.
     *
     * @param end where the partition goes on behind it
     */
    public Batch close(Position end) {
        endSegment();
        return new Batch(this, end);
    }

    /** Gives the memory back without making a batch. */
    public void discard() {
        close(Position.START).release();
    }

    private void append(byte[] from, int offset, int length) {
        int done = 0;
        while (done < length) {
            if (fill == current.length) {
                startChunk();
            }
            int take = Math.min(length - done, current.length - fill);
            System.arraycopy(from, offset + done, current, fill, take);
            fill += take;
            done += take;
            bytes += take;
        }
    }

    private void startChunk() {
        endSegment();
        current = pool.takeChunk();
        fill = 0;
        pooledSegments.set(segments.size());
        segments.add(current);
    }

    /** A large body is its own buffer already: it becomes a segment as it is. */
    private void adopt(Document document) {
        pool.makeRoomBesideChunks();
        document.body().forEachPiece((array, offset, length) -> {
            if (offset != 0) {
                append(array, offset, length);
                return;
            }
            endSegment();
            segments.add(array);
            bytes += length;
            segmentEnds.add(bytes);
            current = new byte[0];
            fill = 0;
        });
    }

    private void endSegment() {
        if (segmentEnds.size() < segments.size()) {
            segmentEnds.add(bytes);
        }
        current = new byte[0];
        fill = 0;
    }

    private static int length(@org.jspecify.annotations.Nullable String text) {
        return text == null ? 0 : text.length();
    }

    int partition() {
        return partition;
    }

    BufferPool pool() {
        return pool;
    }

    long reservedBytes() {
        return reservedBytes;
    }

    boolean hasServerIds() {
        return serverIds;
    }

    ItemTable items() {
        return items;
    }

    List<byte[]> segments() {
        return segments;
    }

    long[] segmentEnds() {
        return segmentEnds.stream().mapToLong(Long::longValue).toArray();
    }

    BitSet pooledSegments() {
        return pooledSegments;
    }

    List<BadDocument> badDocuments() {
        return badDocuments;
    }

    int elsewhere() {
        return elsewhere;
    }

    int named() {
        return named;
    }

    long sourceBytes() {
        return sourceBytes;
    }

    /** Builds action lines in one buffer that is used again for each. */
    private static final class ActionLine {
        static final byte[] NEWLINE = {'\n'};

        private byte[] buffer = new byte[512];
        private int length;

        void write(Document document, String id, boolean goesElsewhere) {
            length = 0;
            ascii("{\"");
            ascii(document.operation().actionName());
            ascii("\":{");
            boolean first = true;
            if (goesElsewhere && document.index() != null) {
                first = member(first, "_index", document.index());
            }
            if (!id.isEmpty()) {
                first = member(first, "_id", id);
            }
            if (document.routing() != null) {
                first = member(first, "routing", document.routing());
            }
            if (document.version() != Document.NO_VERSION) {
                ascii(first ? "\"version\":" : ",\"version\":");
                ascii(Long.toString(document.version()));
                if (document.extraMetadata() == null
                        || !document.extraMetadata().contains("\"version_type\"")) {
                    ascii(",\"version_type\":\"external\"");
                }
                first = false;
            }
            String extra = document.extraMetadata() == null ? "" : document.extraMetadata();
            if (!extra.isEmpty()) {
                ascii(first ? "" : ",");
                utf8(extra);
            }
            if (goesElsewhere && !extra.contains("\"require_alias\"")) {
                ascii(",\"require_alias\":false"); // the request asks for the load's own guard alias
            }
            ascii("}}\n");
        }

        byte[] bytes() {
            return buffer;
        }

        int length() {
            return length;
        }

        private boolean member(boolean first, String name, String value) {
            ascii(first ? "\"" : ",\"");
            ascii(name);
            ascii("\":\"");
            if (isPlain(value)) {
                ascii(value);
            } else {
                utf8(escape(value));
            }
            ascii("\"");
            return false;
        }

        @SuppressWarnings("deprecation") // the only copy of ASCII chars into an array without an object
        private void ascii(String text) {
            room(text.length());
            text.getBytes(0, text.length(), buffer, length);
            length += text.length();
        }

        private void utf8(String text) {
            byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
            room(encoded.length);
            System.arraycopy(encoded, 0, buffer, length, encoded.length);
            length += encoded.length;
        }

        private void room(int more) {
            if (buffer.length - length < more) {
                buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, length + more));
            }
        }

        private static boolean isPlain(String text) {
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c < ' ' || c > '~' || c == '"' || c == '\\') {
                    return false;
                }
            }
            return true;
        }

        private static String escape(String text) {
            var escaped = new StringBuilder(text.length() + 8);
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c == '"' || c == '\\') {
                    escaped.append('\\').append(c);
                } else if (c < ' ' || Character.isSurrogate(c)) {
                    escaped.append(String.format("\\u%04x", (int) c));
                } else {
                    escaped.append(c);
                }
            }
            return escaped.toString();
        }
    }
}
