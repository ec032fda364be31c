package io.penstock.fasterbulk;

import java.io.IOException;
import java.util.function.Supplier;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.bulk.TransportShardBulkAction;
import org.opensearch.action.support.replication.TransportReplicationAction.ConcreteShardRequest;
import org.opensearch.common.lease.Releasable;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.tasks.Task;
import org.opensearch.transport.TransportChannel;

/**
 * One shard bulk on its way through the plugin: what it asks, and how its sender is answered, exactly once.
 *
 * @param charge its bytes on the node's indexing pressure, held until it is answered
 * @param counts of its index, from its arrival to its end, even if the index is gone meanwhile
 * @param context puts the sender's thread context on, as it was on arrival
 * @param answerContext the same, with the response headers (deprecation warnings) that the write has brought
 */
@SuppressWarnings("try") // A thread context is put on, not used.
record ShardWrite(
        ConcreteShardRequest<BulkShardRequest> request,
        TransportChannel channel,
        Task task,
        Releasable charge,
        FasterBulkStats.OfIndex counts,
        Supplier<ThreadContext.StoredContext> context,
        Supplier<ThreadContext.StoredContext> answerContext,
        long bytes,
        long arrivedNanos)
        implements WriteQueues.Write {
    /** What the server calls the primary's part of a shard bulk (TransportShardBulkAction, 3.6.0). */
    static final String ACTION = TransportShardBulkAction.ACTION_NAME + "[p]";

    @Override
    public int items() {
        return request.getRequest().items().length;
    }

    void answer(TransportResponse response) {
        end(() -> channel.sendResponse(response));
    }

    void fail(Exception failure) {
        end(() -> channel.sendResponse(failure));
    }

    private void end(Answer answer) {
        charge.close();
        try (ThreadContext.StoredContext ignored = answerContext.get()) {
            answer.send();
        } catch (IOException | RuntimeException e) {
            TransportChannel.sendErrorResponse(channel, ACTION, request, e);
        }
    }

    @FunctionalInterface
    private interface Answer {
        void send() throws IOException;
    }
}
