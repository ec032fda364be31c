package io.penstock.source.kafka;

import io.penstock.core.source.SourceException;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** What the poller hands to the reader. */
sealed interface Polled {
    /** Hand over what was read so far. */
    record Flush() implements Polled {}

    /** Everything up to the end has been read, by us or by others. */
    record End() implements Polled {}

    /** The topic cannot be read any further. */
    record Broken(SourceException why) implements Polled {}

    /** Records of one partition, in order, until they are all read or the partition is taken from us. */
    final class Chunk implements Polled {
        private final int partition;
        private final List<ConsumerRecord<byte[], byte[]>> records;
        private final long end;
        private int next;
        private boolean revoked;

        /** @param end where the partition goes on behind them */
        Chunk(int partition, List<ConsumerRecord<byte[], byte[]>> records, long end) {
            this.partition = partition;
            this.records = records;
            this.end = end;
        }

        int partition() {
            return partition;
        }

        int size() {
            return records.size();
        }

        long end() {
            return end;
        }

        long[] offsets() {
            return records.stream().mapToLong(ConsumerRecord::offset).toArray();
        }

        long bytes() {
            long bytes = 0;
            for (ConsumerRecord<byte[], byte[]> record : records) {
                bytes += Math.max(0, record.serializedKeySize()) + Math.max(0, record.serializedValueSize()) + 100;
            }
            return bytes;
        }

        /** The partition is somebody else's: nothing more is taken from here. Says how many records that leaves. */
        synchronized int revoke() {
            int left = revoked ? 0 : records.size() - next;
            revoked = true;
            return left;
        }

        /**
         * The next record, or null if there is none.
         *
         * @param taken called before anybody can revoke the rest
         */
        synchronized @Nullable ConsumerRecord<byte[], byte[]> next(Runnable taken) {
            if (revoked || next == records.size()) {
                return null;
            }
            taken.run();
            return records.get(next++);
        }
    }
}
