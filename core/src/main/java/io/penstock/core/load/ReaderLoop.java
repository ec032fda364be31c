package io.penstock.core.load;

import io.penstock.core.batch.Batch;
import io.penstock.core.batch.Batcher;
import io.penstock.core.batch.BufferPool;
import io.penstock.core.batch.DocumentIds;
import io.penstock.core.batch.KeyGate;
import io.penstock.core.checkpoint.Ledger;
import io.penstock.core.checkpoint.PartitionMark;
import io.penstock.core.document.BadDocument;
import io.penstock.core.document.Document;
import io.penstock.core.document.EndOfPartition;
import io.penstock.core.document.Idle;
import io.penstock.core.document.Position;
import io.penstock.core.event.LoadEvent;
import io.penstock.core.source.Partition;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceReader;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Steps 1 to 3 of the load path, on one thread: reads each partition, admits documents, makes batches and hands them
 * over. Blocks in {@link BufferPool#reserve} when the memory budget is used up, and for the {@link KeyGate} when an
 * earlier operation on the same id is still on its way.
 */
final class ReaderLoop {
    /** A source that trickles must not keep documents waiting until a batch is full: at 20 kB/s that takes a minute. */
    private static final long OPEN_NANOS_MAX = 1_000_000_000L;

    private final LoadPlan plan;
    private final SharedWindow window;
    private final Ledger ledger;
    private final KeyGate gate;
    private final StopSignal stop;
    private final Consumer<Batch> handOver;
    private @Nullable Batcher open;
    private long openedNanos;

    ReaderLoop(
            LoadPlan plan,
            SharedWindow window,
            Ledger ledger,
            KeyGate gate,
            StopSignal stop,
            Consumer<Batch> handOver) {
        this.plan = plan;
        this.window = window;
        this.ledger = ledger;
        this.gate = gate;
        this.stop = stop;
        this.handOver = handOver;
    }

    /** Reads what the marks leave to read. What was read before a broken stream is handed over all the same. */
    void run() throws SourceException, InterruptedException {
        List<PartitionMark> marks = plan.start().marks();
        for (Partition partition : plan.source().partitions()) {
            PartitionMark mark = marks.get(partition.ordinal());
            if (!mark.done() && !stop.isStopped()) {
                read(partition, mark);
            }
        }
    }

    private void read(Partition partition, PartitionMark mark) throws SourceException, InterruptedException {
        plan.listener().on(new LoadEvent.PartitionOpened(partition, mark.position()));
        var ids = new DocumentIds(plan.index(), partition.identity());
        try (SourceReader reader = plan.source().open(partition, mark.position())) {
            try {
                readDocuments(partition, reader, ids);
            } catch (SourceException broken) {
                close(partition, reader);
                throw broken;
            } catch (InterruptedException stopped) {
                discard();
                throw stopped;
            }
        }
    }

    private void readDocuments(Partition partition, SourceReader reader, DocumentIds ids)
            throws SourceException, InterruptedException {
        while (!stop.isStopped()) {
            var before = reader.position();
            switch (reader.next()) {
                case Document document -> {
                    admit(partition, reader, document, before);
                    boolean jobId = document.id() == null && !plan.serverIds();
                    String id = jobId ? ids.at(document.position().offset()) : text(document.id());
                    batcherFor(partition, reader, document, before).add(document, id, jobId);
                }
                case BadDocument bad ->
                    batcherFor(partition, reader, bad, before).add(bad);
                case Idle idle -> close(partition, reader);
                case EndOfPartition end -> {
                    close(partition, reader);
                    plan.source().checkUnchanged(partition);
                    ledger.endOfPartition(partition.ordinal());
                    return;
                }
            }
            if (open != null && isReady(open)) {
                close(partition, reader);
            }
        }
        discard();
    }

    private boolean isReady(Batcher batcher) {
        return batcher.isFull()
                || batcher.documents() >= plan.rate().batchDocuments()
                || plan.clock().nanos() - openedNanos > OPEN_NANOS_MAX;
    }

    /** Waits while an operation on the same id is under way; if it is in the open batch, that goes out first. */
    private void admit(Partition partition, SourceReader reader, Document document, Position before)
            throws InterruptedException {
        String id = document.id();
        if (id == null || gate.tryEnter(id)) {
            return;
        }
        handOver(partition, reader, before);
        gate.await(id);
        gate.tryEnter(id);
    }

    private Batcher batcherFor(Partition partition, SourceReader reader, Document document, Position before)
            throws InterruptedException {
        if (open != null && !open.hasRoomFor(document)) {
            handOver(partition, reader, before);
        }
        return openBatcher(partition, Batcher.bytesFor(document));
    }

    private Batcher batcherFor(Partition partition, SourceReader reader, BadDocument bad, Position before)
            throws InterruptedException {
        if (open != null && !open.hasRoomFor(bad)) {
            handOver(partition, reader, before);
        }
        return openBatcher(partition, Batcher.bytesFor(bad));
    }

    private Batcher openBatcher(Partition partition, long firstBytes) throws InterruptedException {
        Batcher batcher = open;
        if (batcher == null) {
            int limit = Math.min(window.bulkBytes(), plan.rate().batchBytes());
            long reserved = Math.max(limit, firstBytes) + BufferPool.CHUNK_BYTES;
            plan.memory().reserve(reserved);
            batcher = new Batcher(partition.ordinal(), plan.memory(), reserved, limit, plan.index(), plan.serverIds());
            open = batcher;
            openedNanos = plan.clock().nanos();
        }
        return batcher;
    }

    private void close(Partition partition, SourceReader reader) throws InterruptedException {
        handOver(partition, reader, reader.position());
    }

    private void handOver(Partition partition, SourceReader reader, Position end) throws InterruptedException {
        Batcher batcher = open;
        open = null;
        if (batcher == null) {
            return;
        }
        if (batcher.isEmpty()) {
            batcher.discard();
            return;
        }
        Batch batch = batcher.close(end);
        awaitRate(batch);
        ledger.open(batch);
        plan.listener()
                .on(new LoadEvent.BatchRead(partition.ordinal(), reader.storedBytesRead(), batch.documentCount()));
        handOver.accept(batch);
    }

    private void awaitRate(Batch batch) throws InterruptedException {
        long now = plan.clock().nanos();
        long until = now + plan.rate().take(batch.documentCount(), batch.sourceBytes(), now);
        try {
            while (until - plan.clock().nanos() > 0) {
                plan.clock().sleep(Duration.ofNanos(until - plan.clock().nanos()));
            }
        } catch (InterruptedException stopped) {
            batch.release();
            throw stopped;
        }
    }

    private void discard() {
        Batcher batcher = open;
        open = null;
        if (batcher != null) {
            batcher.discard();
        }
    }

    private static String text(@Nullable String id) {
        return id == null ? "" : id;
    }
}
