package io.penstock.fasterbulk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.support.ActionFilter;
import org.opensearch.action.support.ActionFilterChain;
import org.opensearch.action.support.ActionRequestMetadata;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexAbstraction;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.ShardRouting;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.index.Index;
import org.opensearch.index.IndexSettings;
import org.opensearch.index.seqno.SequenceNumbers;
import org.opensearch.index.translog.Translog;
import org.opensearch.tasks.Task;

/**
 * Sends those documents of a bulk that have neither id nor routing to one shard of their index, by giving them ids that
 * belong there ({@link DirectedId}). Works on the node that the client speaks to, before the bulk is cut up by shards.
 * Any other document is left as it is. Thread-safe.
 */
final class DirectedRouting implements ActionFilter {
    private static final Logger LOGGER = LogManager.getLogger(DirectedRouting.class);

    private final FasterBulkSettings settings;
    private final FasterBulkStats stats;
    private final ClusterService clusterService;
    private final LongSupplier nanoTime;
    private final Map<Index, ShardChoice> choices = new ConcurrentHashMap<>();

    DirectedRouting(
            FasterBulkSettings settings, FasterBulkStats stats, ClusterService clusterService, LongSupplier nanoTime) {
        this.settings = settings;
        this.stats = stats;
        this.clusterService = clusterService;
        this.nanoTime = nanoTime;
        clusterService.addListener(event -> event.indicesDeleted().forEach(choices::remove));
    }

    @Override
    public int order() {
        return Integer.MAX_VALUE; // after those that check rights, which see the request as the client sent it
    }

    @Override
    public <Q extends ActionRequest, R extends ActionResponse> void apply(
            Task task,
            String action,
            Q request,
            ActionRequestMetadata<Q, R> metadata,
            ActionListener<R> listener,
            ActionFilterChain<Q, R> chain) {
        ActionListener<R> last = listener;
        if (action.equals(BulkAction.NAME) && request instanceof BulkRequest bulk) {
            List<Target> targets = direct(bulk);
            if (!targets.isEmpty()) {
                last = ActionListener.runBefore(listener, () -> targets.forEach(Target::done));
            }
        }
        chain.proceed(task, action, request, last);
    }

    /** A shard of an index that documents of one bulk go to; {@link ShardChoice#NONE} if they are not directed. */
    private record Target(IndexMetadata index, ShardChoice choice, int shard, FasterBulkStats.OfIndex counts) {
        boolean isDirected() {
            return shard != ShardChoice.NONE;
        }

        void done() {
            choice.done(shard);
        }
    }

    private List<Target> direct(BulkRequest bulk) {
        List<Target> taken = new ArrayList<>();
        try {
            ClusterState state = clusterService.state();
            Map<String, Optional<Target>> targets = new HashMap<>();
            ListIterator<DocWriteRequest<?>> documents = bulk.requests().listIterator();
            while (documents.hasNext()) {
                if (documents.next() instanceof IndexRequest document && isFree(document)) {
                    Optional<Target> target = targets.get(document.index());
                    if (target == null) {
                        target = target(document.index(), state);
                        targets.put(document.index(), target);
                        target.ifPresent(taken::add);
                    }
                    target.filter(Target::isDirected)
                            .ifPresent(to -> documents.set(
                                    new DirectedIndexRequest(document, to.index(), to.shard(), to.counts())));
                }
            }
        } catch (RuntimeException e) {
            stats.onError();
            LOGGER.warn("faster-bulk could not direct a bulk, its documents go where the server sends them", e);
        }
        return taken;
    }

    /** Whether nothing says where it belongs, and it is no request of another plugin's making. */
    private static boolean isFree(IndexRequest document) {
        return document.getClass() == IndexRequest.class
                && document.id() == null
                && document.routing() == null
                && document.ifSeqNo() == SequenceNumbers.UNASSIGNED_SEQ_NO;
    }

    private Optional<Target> target(String name, ClusterState state) {
        IndexAbstraction abstraction = state.metadata().getIndicesLookup().get(name);
        if (abstraction == null || abstraction.getWriteIndex() == null) {
            return Optional.empty();
        }
        IndexMetadata index = abstraction.getWriteIndex();
        IndexRoutingTable routing = state.routingTable().index(index.getIndex());
        if (routing == null || !mayBeDirected(index)) {
            return Optional.empty();
        }
        int shards = index.getNumberOfShards();
        ShardChoice choice = choices.compute(
                index.getIndex(),
                (ignored, known) -> known != null && known.shards() == shards ? known : new ShardChoice(shards));
        // Where nothing waits for a disk, a bulk that is alone is sooner done by all shards at once.
        boolean waitsForDisk =
                IndexSettings.INDEX_TRANSLOG_DURABILITY_SETTING.get(index.getSettings()) == Translog.Durability.REQUEST;
        int shard = choice.take(
                nanoTime.getAsLong(),
                number -> {
                    ShardRouting primary = routing.shard(number).primaryShard();
                    return primary != null && primary.active();
                },
                waitsForDisk);
        return Optional.of(
                new Target(index, choice, shard, stats.of(index.getIndex().getName())));
    }

    private boolean mayBeDirected(IndexMetadata index) {
        return settings.isDirected(index)
                && index.getState() == IndexMetadata.State.OPEN
                && index.getNumberOfShards() > 1
                && !index.isSystem()
                && !index.isRoutingPartitionedIndex()
                && (index.mapping() == null || !index.mapping().routingRequired())
                // Where the server chooses a shard by itself, it also need not look for the document there again.
                && !(index.isAppendOnlyIndex() && index.bulkAdaptiveShardSelectionEnabled());
    }
}
