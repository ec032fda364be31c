package io.penstock.core.batch;

import io.penstock.core.document.BadDocument;
import io.penstock.core.document.Body;
import io.penstock.core.document.Operation;
import io.penstock.core.document.Position;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;

/**
 * Neighbouring documents of one partition as the exact bytes of a bulk body, with the place of each item in them. A
 * retry sends parts of the same bytes; nothing is copied or built again.
 *
 * <p>Immutable once closed by its {@link Batcher}; read by one thread at a time. {@link #release} ends it.
 */
public final class Batch {
    private final int partition;
    private final boolean serverIds;
    private final BufferPool pool;
    private final long reservedBytes;
    private final ItemTable items;
    private final List<byte[]> segments;
    private final long[] segmentEnds;
    private final BitSet pooledSegments;
    private final List<BadDocument> badDocuments;
    private final Position end;
    private final long sourceBytes;
    private final int elsewhere;
    private final int named;
    private boolean released;

    Batch(Batcher batcher, Position end) {
        this.partition = batcher.partition();
        this.serverIds = batcher.hasServerIds();
        this.pool = batcher.pool();
        this.reservedBytes = batcher.reservedBytes();
        this.items = batcher.items();
        this.segments = batcher.segments();
        this.segmentEnds = batcher.segmentEnds();
        this.pooledSegments = batcher.pooledSegments();
        this.badDocuments = List.copyOf(batcher.badDocuments());
        this.sourceBytes = batcher.sourceBytes();
        this.elsewhere = batcher.elsewhere();
        this.named = batcher.named();
        this.end = end;
    }

    /** Ordinal of the partition that all its documents come from. */
    public int partition() {
        return partition;
    }

    /** Number of items to send; the {@linkplain #badDocuments() bad documents} are not among them. */
    public int itemCount() {
        return items.count();
    }

    /** Documents read into it, good and bad: each must end in one place. */
    public int documentCount() {
        return items.count() + badDocuments.size();
    }

    /** Bytes of the whole bulk body. */
    public long bytes() {
        return items.start(items.count());
    }

    /** Bytes of the documents as the source had them. */
    public long sourceBytes() {
        return sourceBytes;
    }

    /** Documents addressed to another index than the load's. */
    public int elsewhere() {
        return elsewhere;
    }

    /** Documents that came with an id of their own. */
    public int named() {
        return named;
    }

    /** Inputs found bad before they could be sent, which go to the dead letters with the rest. */
    public List<BadDocument> badDocuments() {
        return badDocuments;
    }

    /** Where the partition goes on behind this batch. */
    public Position end() {
        return end;
    }

    /** The operation of an item. */
    public Operation operation(int item) {
        return items.operation(item);
    }

    /** The id of an item as it was sent, or the empty text when the server makes it. */
    public String id(int item) {
        return items.id(item);
    }

    /** Whether the server makes the ids, so that a reply's ids cannot be foreseen. */
    public boolean hasServerIds() {
        return serverIds;
    }

    /** Whether the item's id was made from job and position, so that nobody else writes it. */
    public boolean hasJobId(int item) {
        return items.isJobId(item);
    }

    /** The external version of an item, or {@link io.penstock.core.document.Document#NO_VERSION}. */
    public long version(int item) {
        return items.version(item);
    }

    /** Where the item's document begins in its partition. */
    public Position position(int item) {
        return items.position(item);
    }

    /** Bytes of one item: action line, body line and their line ends. */
    public long itemBytes(int item) {
        return items.start(item + 1) - items.start(item);
    }

    /** The action line of an item, without line end. */
    public byte[] actionLine(int item) {
        return copy(items.start(item), items.bodyStart(item) - 1);
    }

    /** Bytes of the document of an item as it was sent, without line end; 0 for a delete. */
    public long documentBytes(int item) {
        return Math.max(0, items.start(item + 1) - items.bodyStart(item) - 1);
    }

    /** Writes the document of an item as it was sent, without line end. */
    public void writeDocument(int item, OutputStream out) throws IOException {
        write(items.bodyStart(item), items.bodyStart(item) + documentBytes(item), out);
    }

    /** Writes the bytes of some items, given in ascending order. */
    public void write(int[] sent, OutputStream out) throws IOException {
        int next = 0;
        while (next < sent.length) {
            int last = next;
            while (last + 1 < sent.length && sent[last + 1] == sent[last] + 1) {
                last++;
            }
            write(items.start(sent[next]), items.start(sent[last] + 1), out);
            next = last + 1;
        }
    }

    /** Bytes that {@link #write} will write. */
    public long bytes(int[] sent) {
        long bytes = 0;
        for (int item : sent) {
            bytes += itemBytes(item);
        }
        return bytes;
    }

    /** The ids that the {@link KeyGate} knows: those that came with their documents. */
    public List<String> gatedIds() {
        var ids = new ArrayList<String>(named);
        for (int item = 0; item < items.count() && ids.size() < named; item++) {
            if (!items.isJobId(item) && !items.id(item).isEmpty()) {
                ids.add(items.id(item));
            }
        }
        return Collections.unmodifiableList(ids);
    }

    /** Every document has its end: returns the memory. Must be called once. */
    public void release() {
        if (released) {
            throw new IllegalStateException("batch released twice");
        }
        released = true;
        List<byte[]> chunks = pooledSegments.stream().mapToObj(segments::get).toList();
        segments.clear();
        pool.release(reservedBytes, chunks);
    }

    private byte[] copy(long from, long until) {
        byte[] bytes = new byte[Math.toIntExact(until - from)];
        int filled = 0;
        for (int i = segmentAt(from); filled < bytes.length; i++) {
            long begin = segmentBegin(i);
            int offset = (int) (from + filled - begin);
            int length = (int) Math.min(bytes.length - filled, segmentEnds[i] - begin - offset);
            System.arraycopy(segments.get(i), offset, bytes, filled, length);
            filled += length;
        }
        return bytes;
    }

    private void write(long from, long until, OutputStream out) throws IOException {
        long at = from;
        for (int i = from < until ? segmentAt(from) : 0; at < until; i++) {
            long begin = segmentBegin(i);
            int offset = (int) (at - begin);
            int length = (int) Math.min(until - at, segmentEnds[i] - at);
            out.write(segments.get(i), offset, length);
            at += length;
        }
    }

    private int segmentAt(long offset) {
        int segment = 0;
        while (segmentEnds[segment] <= offset) {
            segment++;
        }
        return segment;
    }

    private long segmentBegin(int segment) {
        return segment == 0 ? 0 : segmentEnds[segment - 1];
    }

    /** The body of a bad document kept beyond the reader's next step. */
    static Body kept(Body body) {
        return body.isOwned() ? body : Body.owned(List.of(body.toBytes()), body.size());
    }
}
