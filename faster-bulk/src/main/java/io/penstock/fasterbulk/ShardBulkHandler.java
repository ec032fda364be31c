package io.penstock.fasterbulk;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.support.WriteRequest;
import org.opensearch.action.support.replication.TransportReplicationAction.ConcreteShardRequest;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.common.lease.Releasable;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.core.index.Index;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.tasks.Task;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.TransportChannel;
import org.opensearch.transport.TransportRequestHandler;

/**
 * Stands before the server's own handler of shard bulks on the node of the primary, and hands it either a request as it
 * came or several as one ({@link JoinedBulk}). What it does not understand it leaves alone. Thread-safe.
 */
@SuppressWarnings("try") // A thread context is put on, not used.
final class ShardBulkHandler implements TransportRequestHandler<ConcreteShardRequest<BulkShardRequest>> {
    private static final Logger LOGGER = LogManager.getLogger(ShardBulkHandler.class);
    /** Nobody waits longer, whatever the write before it waits for, for example a change of the mapping. */
    static final TimeValue HELD_MAX = TimeValue.timeValueSeconds(1);
    /** Who gives the server less than this is in more of a hurry than those it would wait for. */
    private static final TimeValue TIMEOUT_MIN = TimeValue.timeValueSeconds(5);
    /** After so many errors of its own the plugin leaves everything to the server until it is switched on again. */
    static final int ERRORS_MAX = 3;

    private final TransportRequestHandler<ConcreteShardRequest<BulkShardRequest>> server;
    private final FasterBulkSettings settings;
    private final FasterBulkStats stats;
    private final Function<Index, @Nullable IndexMetadata> indices;
    private final IndexingCharge charges;
    private final ThreadPool threadPool;
    private final LongSupplier nanoTime;
    private final WriteQueues<WriteKey, ShardWrite> queues = new WriteQueues<>();
    private final AtomicInteger errors = new AtomicInteger();

    /** Takes bytes of a request off what the node may hold. */
    @FunctionalInterface
    interface IndexingCharge {
        /**
         * Charges them, until what it gives is closed.
         *
         * @throws OpenSearchRejectedExecutionException if the node holds too much already
         */
        Releasable take(ConcreteShardRequest<BulkShardRequest> request, long bytes);
    }

    /**
     * @param server carries requests out
     * @param indices what the cluster's state says of an index now; null if it is gone
     */
    ShardBulkHandler(
            TransportRequestHandler<ConcreteShardRequest<BulkShardRequest>> server,
            FasterBulkSettings settings,
            FasterBulkStats stats,
            Function<Index, @Nullable IndexMetadata> indices,
            IndexingCharge charges,
            ThreadPool threadPool,
            LongSupplier nanoTime) {
        this.server = server;
        this.settings = settings;
        this.stats = stats;
        this.indices = indices;
        this.charges = charges;
        this.threadPool = threadPool;
        this.nanoTime = nanoTime;
    }

    @Override
    public void messageReceived(ConcreteShardRequest<BulkShardRequest> request, TransportChannel channel, Task task)
            throws Exception {
        Optional<PassThrough> why = whyNotJoined(request.getRequest());
        if (why.isEmpty()) {
            why = join(request, channel, task);
        }
        if (why.isPresent()) {
            stats.of(request.getRequest().shardId().getIndexName()).passedThrough(why.get());
            server.messageReceived(request, channel, task);
        }
    }

    private Optional<PassThrough> whyNotJoined(BulkShardRequest bulk) {
        IndexMetadata index = indices.apply(bulk.shardId().getIndex());
        if (index == null || !settings.isEnabled(index)) {
            return Optional.of(PassThrough.OFF);
        }
        if (errors.get() >= ERRORS_MAX) {
            return Optional.of(PassThrough.ERRORS);
        }
        if (index.isSystem()) {
            return Optional.of(PassThrough.SYSTEM_INDEX);
        }
        if (bulk.getRefreshPolicy() == WriteRequest.RefreshPolicy.WAIT_UNTIL) {
            return Optional.of(PassThrough.WAITS_FOR_REFRESH); // those behind it would wait for the refresh as well
        }
        if (bulk.timeout().compareTo(TIMEOUT_MIN) < 0) {
            return Optional.of(PassThrough.SHORT_TIMEOUT);
        }
        return Optional.empty();
    }

    /** Takes the request over, or says why not; then nothing has been done with it. */
    private Optional<PassThrough> join(
            ConcreteShardRequest<BulkShardRequest> request, TransportChannel channel, Task task) {
        BulkShardRequest bulk = request.getRequest();
        long bytes = bulk.ramBytesUsed();
        WriteQueues.Limits limits = settings.limits();
        if (bytes >= limits.bytesMax() || bulk.items().length >= limits.itemsMax()) {
            return Optional.of(PassThrough.LARGE);
        }
        Releasable charge;
        try {
            charge = charges.take(request, bytes);
        } catch (OpenSearchRejectedExecutionException full) {
            return Optional.of(PassThrough.INDEXING_PRESSURE); // the server says the same, in its own words
        }
        FasterBulkStats.OfIndex counts = stats.of(bulk.shardId().getIndexName());
        WriteKey key;
        WriteQueues.Arrival<WriteKey, ShardWrite> arrival;
        try {
            ThreadContext context = threadPool.getThreadContext();
            var write = new ShardWrite(
                    request,
                    channel,
                    task,
                    charge,
                    counts,
                    context.newRestorableContext(false),
                    context.newRestorableContext(true),
                    bytes,
                    nanoTime.getAsLong());
            key = WriteKey.of(request, context);
            counts.arrived(bulk.items().length, bytes);
            arrival = queues.arrive(key, write, limits);
        } catch (RuntimeException e) {
            charge.close();
            onError(e);
            return Optional.of(PassThrough.ERRORS);
        }
        begin(arrival.begin());
        if (arrival.firstToWait()) {
            switch (limits.mode()) {
                case GROUP_COMMIT -> beginWhenFree(key);
                case WINDOW -> beginAfter(settings.windowInterval());
            }
        }
        return Optional.empty();
    }

    /**
     * While one thread waits for an fsync the others may be free. The next fsync is for all that is written by then
     * (AsyncIOProcessor, 3.6.0), so that on a slow disk whoever waits here loses a whole one.
     */
    private void beginWhenFree(WriteKey key) {
        try {
            threadPool.executor(ThreadPool.Names.WRITE).execute(() -> {
                queues.free(key, settings.limits()).ifPresent(group -> {
                    begin(group);
                    beginWhenFree(key);
                });
            });
        } catch (OpenSearchRejectedExecutionException full) {
            LOGGER.debug("no thread is free: what waits begins when what is in flight has ended", full);
        }
    }

    private void beginAfter(TimeValue interval) {
        try {
            threadPool.schedule(() -> beginOverdue(interval), interval, ThreadPool.Names.GENERIC);
        } catch (OpenSearchRejectedExecutionException stopping) {
            beginOverdue(TimeValue.ZERO);
        }
    }

    /** Begins what has waited longer than this. */
    void beginOverdue(TimeValue held) {
        begin(queues.overdue(nanoTime.getAsLong() - held.nanos(), settings.limits()));
    }

    /** Somebody has switched it on again. */
    void forgetErrors() {
        errors.set(0);
    }

    private void begin(List<WriteQueues.Group<WriteKey, ShardWrite>> groups) {
        groups.forEach(this::begin);
    }

    private void begin(WriteQueues.Group<WriteKey, ShardWrite> group) {
        ShardWrite first = group.writes().getFirst();
        first.counts().begun(group.writes(), nanoTime.getAsLong());
        var channel = new GroupChannel(group);
        try (ThreadContext.StoredContext ignored = first.context().get()) {
            ConcreteShardRequest<BulkShardRequest> request;
            try {
                request = JoinedBulk.request(group.key(), group.writes());
            } catch (RuntimeException e) {
                onError(e);
                oneByOne(group);
                return;
            }
            server.messageReceived(request, channel, first.task());
        } catch (Exception e) {
            channel.sendResponse(e);
        }
    }

    /** The server's own way, for what could not be joined. */
    private void oneByOne(WriteQueues.Group<WriteKey, ShardWrite> group) {
        for (ShardWrite write : group.writes()) {
            write.charge().close();
            try (ThreadContext.StoredContext ignored = write.context().get()) {
                server.messageReceived(write.request(), write.channel(), write.task());
            } catch (Exception e) {
                TransportChannel.sendErrorResponse(write.channel(), ShardWrite.ACTION, write.request(), e);
            }
        }
        begin(queues.ended(group.key(), settings.limits()));
    }

    private void onError(RuntimeException e) {
        stats.onError();
        if (errors.incrementAndGet() == ERRORS_MAX) {
            LOGGER.error(
                    "faster-bulk has switched itself off on this node after {} errors; set faster_bulk.enabled to false and to true again to switch it on",
                    ERRORS_MAX,
                    e);
        } else {
            LOGGER.warn("faster-bulk could not join bulks, the server writes them one by one", e);
        }
    }

    /** Takes the answer to a group: the next group begins first, then the senders are answered. */
    private final class GroupChannel implements TransportChannel {
        private final WriteQueues.Group<WriteKey, ShardWrite> group;
        private final AtomicBoolean answered = new AtomicBoolean();

        GroupChannel(WriteQueues.Group<WriteKey, ShardWrite> group) {
            this.group = group;
        }

        @Override
        public String getProfileName() {
            return first().getProfileName();
        }

        @Override
        public String getChannelType() {
            return first().getChannelType();
        }

        @Override
        public org.opensearch.Version getVersion() {
            return first().getVersion();
        }

        private TransportChannel first() {
            return group.writes().getFirst().channel();
        }

        @Override
        public void sendResponse(TransportResponse response) {
            if (!answered.compareAndSet(false, true)) {
                return;
            }
            begin(queues.ended(group.key(), settings.limits()));
            try {
                JoinedBulk.answer(group.writes(), (BulkShardResponse) response);
            } catch (RuntimeException e) {
                onError(e);
                group.writes().forEach(write -> write.fail(e));
            }
        }

        @Override
        public void sendResponse(Exception failure) {
            if (!answered.compareAndSet(false, true)) {
                return;
            }
            group.writes().forEach(write -> write.fail(failure));
            Runnable next = () -> begin(queues.ended(group.key(), settings.limits()));
            try {
                // Not on this stack: while a shard is closing, each group behind this one fails at once as well.
                threadPool.generic().execute(next);
            } catch (OpenSearchRejectedExecutionException stopping) {
                next.run();
            }
        }
    }
}
