package io.penstock.fasterbulk;

import java.util.Arrays;
import java.util.List;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.support.replication.TransportReplicationAction.ConcreteShardRequest;

/** Several shard bulks as one, and the answer to it as an answer for each. */
final class JoinedBulk {
    private JoinedBulk() {}

    /**
     * The request that carries all of them out. It says that it came from this node, by which the server knows that its
     * bytes are charged already: they are, by each of the writes (TransportWriteAction.checkPrimaryLimits, 3.6.0).
     */
    static ConcreteShardRequest<BulkShardRequest> request(WriteKey key, List<ShardWrite> writes) {
        BulkShardRequest all =
                writes.size() == 1 ? writes.getFirst().request().getRequest() : concatenated(key, writes);
        return new ConcreteShardRequest<>(all, key.allocationId(), key.primaryTerm(), true, false);
    }

    private static BulkShardRequest concatenated(WriteKey key, List<ShardWrite> writes) {
        int count = writes.stream().mapToInt(ShardWrite::items).sum();
        var items = new BulkItemRequest[count];
        int at = 0;
        for (ShardWrite write : writes) {
            BulkItemRequest[] own = write.request().getRequest().items();
            System.arraycopy(own, 0, items, at, own.length);
            at += own.length;
        }
        var joined = new BulkShardRequest(key.shard(), key.refresh(), items);
        joined.waitForActiveShards(key.activeShards());
        joined.timeout(key.timeout());
        joined.setParentTask(writes.getFirst().request().getParentTask());
        return joined;
    }

    /** Gives each sender its own items back, in its own order. */
    static void answer(List<ShardWrite> writes, BulkShardResponse response) {
        if (writes.size() == 1) {
            writes.getFirst().answer(response);
            return;
        }
        BulkItemResponse[] all = response.getResponses();
        int count = writes.stream().mapToInt(ShardWrite::items).sum();
        if (all.length != count) {
            throw new IllegalStateException(
                    "the server answered %d items of %d for %s".formatted(all.length, count, response.getShardId()));
        }
        int at = 0;
        for (ShardWrite write : writes) {
            int end = at + write.items();
            var own = new BulkShardResponse(
                    response.getShardId(),
                    Arrays.copyOfRange(all, at, end),
                    response.getServiceTimeEWMAInNanos(),
                    response.getNodeQueueSize());
            own.setShardInfo(response.getShardInfo());
            write.answer(own);
            at = end;
        }
    }
}
