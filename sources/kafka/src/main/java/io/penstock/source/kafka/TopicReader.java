package io.penstock.source.kafka;

import io.penstock.core.document.EndOfPartition;
import io.penstock.core.document.Idle;
import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceReader;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Reads what the poller brings. */
final class TopicReader implements SourceReader {
    private final TopicPoller poller;
    private final InFlight inFlight;
    private final RecordDocuments documents;
    private Polled.@Nullable Chunk open;
    private long bytes;

    TopicReader(TopicPoller poller, InFlight inFlight, RecordDocuments documents) {
        this.poller = poller;
        this.inFlight = inFlight;
        this.documents = documents;
    }

    @Override
    public Reading next() throws SourceException {
        while (true) {
            Polled.Chunk chunk = open;
            if (chunk != null) {
                Position at = inFlight.next();
                ConsumerRecord<byte[], byte[]> record = chunk.next(inFlight::take);
                if (record != null) {
                    poller.read(record);
                    bytes += Math.max(0, record.serializedValueSize());
                    return documents.of(record, at);
                }
                inFlight.closeLast();
                open = null;
            }
            switch (poller.next()) {
                case null -> {
                    return Idle.IDLE;
                }
                case Polled.Flush flush -> {
                    return Idle.IDLE;
                }
                case Polled.End end -> {
                    return EndOfPartition.END;
                }
                case Polled.Broken broken -> throw broken.why();
                case Polled.Chunk next -> {
                    inFlight.begin(next.partition(), next.offsets(), next.end());
                    open = next;
                }
            }
        }
    }

    @Override
    public Position position() {
        return inFlight.next();
    }

    @Override
    public long storedBytesRead() {
        return bytes;
    }

    /** What was read is still on its way, and its positions are not committed: the poller goes on without a reader. */
    @Override
    public void close() {
        poller.readNoMore();
    }
}
