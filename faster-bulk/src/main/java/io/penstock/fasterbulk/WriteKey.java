package io.penstock.fasterbulk;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.support.ActiveShardCount;
import org.opensearch.action.support.WriteRequest;
import org.opensearch.action.support.replication.TransportReplicationAction.ConcreteShardRequest;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.index.shard.ShardId;

/**
 * All that shard bulks must have in common to be written as one. A value.
 *
 * @param allocationId the copy of the shard that the sender took for the primary; not that of another one after a move
 * @param primaryTerm the primary's term that the sender knew
 * @param caller on whose behalf
 */
record WriteKey(
        ShardId shard,
        String allocationId,
        long primaryTerm,
        ActiveShardCount activeShards,
        WriteRequest.RefreshPolicy refresh,
        TimeValue timeout,
        Caller caller) {
    static WriteKey of(ConcreteShardRequest<BulkShardRequest> request, ThreadContext context) {
        BulkShardRequest bulk = request.getRequest();
        return new WriteKey(
                bulk.shardId(),
                request.getTargetAllocationID(),
                request.getPrimaryTerm(),
                bulk.waitForActiveShards(),
                bulk.getRefreshPolicy(),
                bulk.timeout(),
                Caller.of(context));
    }

    /**
     * Everything of a thread's context by which one caller's rights can differ from another's.
     *
     * @param headers all request headers, those for tracing as well
     * @param transients what the security plugin keeps for the node's own eyes; null for what is not there
     * @param system whether it is the server itself
     */
    record Caller(Map<String, String> headers, List<@Nullable Object> transients, boolean system) {
        /**
         * Names under which OpenSearch's security plugin keeps the user (its {@code ConfigConstants}, 2.x and 3.x). A
         * request that was sent from this very node has the user only there and not in a header.
         */
        private static final List<String> TRANSIENTS = List.of(
                "_opendistro_security_user",
                "_opendistro_security_user_info",
                "_opendistro_security_injected_user",
                "opendistro_security_injected_roles",
                "opendistro_security_injected_roles_validation",
                "_opendistro_security_remote_address");

        private static final String PERSISTENT = "_opendistro_security_authenticated_user";

        static Caller of(ThreadContext context) {
            var transients = new ArrayList<@Nullable Object>(TRANSIENTS.size() + 1);
            for (String name : TRANSIENTS) {
                transients.add(context.<@Nullable Object>getTransient(name));
            }
            transients.add(context.getPersistent(PERSISTENT));
            return new Caller(context.getHeaders(), transients, context.isSystemContext());
        }
    }
}
