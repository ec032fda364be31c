package io.penstock.core.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.batch.Batch;
import io.penstock.core.batch.BufferPool;
import io.penstock.core.checkpoint.Checkpoint;
import io.penstock.core.checkpoint.DurabilityBarrier;
import io.penstock.core.checkpoint.PartitionMark;
import io.penstock.core.deadletter.DeadLetterWriter;
import io.penstock.core.delivery.Backoff;
import io.penstock.core.delivery.BulkReply;
import io.penstock.core.delivery.BulkTransport;
import io.penstock.core.delivery.ConfirmReply;
import io.penstock.core.delivery.DeliveryPolicy;
import io.penstock.core.delivery.ItemReply;
import io.penstock.core.delivery.StopReason;
import io.penstock.core.document.Body;
import io.penstock.core.document.Document;
import io.penstock.core.document.EndOfPartition;
import io.penstock.core.document.Operation;
import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.core.fate.Counts;
import io.penstock.core.source.Partition;
import io.penstock.core.source.Source;
import io.penstock.core.source.SourceReader;
import io.penstock.core.time.Clock;
import io.penstock.core.window.WindowLimits;
import io.penstock.core.window.WindowSize;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How a load ends while a checkpoint is being written in the background. */
@Timeout(30)
class LoadTest {
    private static final Partition PARTITION = new Partition(0, "one", 0, "one", "one");
    private static final Duration DRAIN = Duration.ofMillis(300);

    @TempDir
    Path folder;

    private final CountDownLatch checkpointBegun = new CountDownLatch(1);
    private final CountDownLatch serverGoesOn = new CountDownLatch(1);
    private final AtomicInteger cutOff = new AtomicInteger();

    @Test
    void itsEndWaitsForTheCheckpointUnderWay() throws Exception {
        Load load = load(this::untilCheckpointBegan);
        Thread server = Thread.ofVirtual().start(() -> {
            sleep(200);
            serverGoesOn.countDown();
        });

        LoadResult result = load.run();
        server.join();

        assertThat(cutOff).as("a file may be open in it").hasValue(0);
        assertThat(result.complete()).isTrue();
        assertThat(result.stops()).isEmpty();
    }

    @Test
    void aStoppedLoadWaitsForAServerThatHangsNoLongerThanForRequestsInFlight() {
        Load load = load(() -> sleep(Long.MAX_VALUE));
        Thread.ofVirtual().start(() -> {
            untilCheckpointBegan();
            load.stop(StopReason.INTERRUPTED, "enough");
        });

        LoadResult result = load.run();

        assertThat(cutOff).hasPositiveValue();
        assertThat(result.stops())
                .extracting(StopSignal.Stop::reason)
                .contains(StopReason.INTERRUPTED, StopReason.TARGET_UNUSABLE);
    }

    /** As a topic that is followed does: the next document is never far, and a batch would be full in hours. */
    @Test
    void whatTricklesDoesNotWaitUntilABatchIsFull() {
        serverGoesOn.countDown();
        var arrived = new CountDownLatch(1);
        var read = new AtomicInteger();
        BooleanSupplier untilOneArrived = () -> arrived.getCount() > 0 && read.incrementAndGet() < 500;

        LoadResult result = load(new Documents(untilOneArrived, () -> sleep(20)), new Accepting(arrived), 1 << 20)
                .run();

        assertThat(result.complete()).isTrue();
        assertThat(read).as("documents until the first arrived").hasValueLessThan(500);
    }

    private Load load(Runnable beforeTheEnd) {
        var first = new AtomicBoolean(true);
        return load(new Documents(() -> first.getAndSet(false), beforeTheEnd), new Accepting(new CountDownLatch(1)), 1);
    }

    private Load load(Source source, BulkTransport server, int bulkBytes) {
        var start =
                new Checkpoint(Map.of(), List.of(new PartitionMark("one", "one", Position.START, false)), Counts.NONE);
        return new Load(new LoadPlan(
                source,
                server,
                new SlowFlush(),
                "logs",
                false,
                new BufferPool(4L << 20),
                new WindowLimits(bulkBytes, bulkBytes, 1, 1, bulkBytes),
                new WindowSize(bulkBytes, 1),
                new DeliveryPolicy(Backoff.DEFAULT, 1, Duration.ofMinutes(1), false),
                RejectLimit.ofOneKind(),
                RateLimit.none(),
                Optional.empty(),
                start,
                new DeadLetterWriter(folder.resolve("dead.ndjson")),
                Duration.ZERO,
                DRAIN,
                event -> {},
                Clock.SYSTEM));
    }

    private void untilCheckpointBegan() {
        try {
            checkpointBegun.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class SlowFlush implements DurabilityBarrier {
        @Override
        public Durability makeDurable() {
            checkpointBegun.countDown();
            try {
                serverGoesOn.await();
                return new Durability.Safe();
            } catch (InterruptedException e) {
                cutOff.incrementAndGet();
                return new Durability.NotYet("interrupted");
            }
        }

        @Override
        public Duration interval() {
            return Duration.ofMillis(1);
        }
    }

    private record Accepting(CountDownLatch arrived) implements BulkTransport {
        @Override
        public BulkReply send(Batch batch, int[] items) {
            arrived.countDown();
            return new BulkReply.Items(IntStream.of(items)
                    .mapToObj(item -> ItemReply.done("index", Integer.toString(item + 1), 201))
                    .toList());
        }

        @Override
        public ConfirmReply confirm(Batch batch, int[] items) {
            throw new AssertionError("nothing to confirm");
        }
    }

    /** Documents for as long as there are more, each with something before it, and that before the end as well. */
    private record Documents(BooleanSupplier more, Runnable between) implements Source {
        @Override
        public String name() {
            return "one";
        }

        @Override
        public List<Partition> partitions() {
            return List.of(PARTITION);
        }

        @Override
        public SourceReader open(Partition partition, Position from) {
            return new Reader(more, between);
        }

        @Override
        public void checkUnchanged(Partition partition) {
            // never changes
        }

        @Override
        public boolean isResumable() {
            return true;
        }
    }

    private static final class Reader implements SourceReader {
        private final BooleanSupplier more;
        private final Runnable between;
        private int read;

        Reader(BooleanSupplier more, Runnable between) {
            this.more = more;
            this.between = between;
        }

        @Override
        public Reading next() {
            if (read > 0) {
                between.run();
            }
            if (!more.getAsBoolean()) {
                return EndOfPartition.END;
            }
            read++;
            byte[] body = "{}".getBytes(UTF_8);
            return new Document(
                    Operation.INDEX,
                    Integer.toString(read),
                    null,
                    Document.NO_VERSION,
                    null,
                    null,
                    Body.borrowed(body, 0, body.length),
                    new Position(read - 1, 0));
        }

        @Override
        public Position position() {
            return new Position(read, 0);
        }

        @Override
        public long storedBytesRead() {
            return 0;
        }

        @Override
        public void close() {
            // nothing open
        }
    }
}
