package io.penstock.fasterbulk;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.support.ActionFilter;
import org.opensearch.action.support.replication.TransportReplicationAction.ConcreteShardRequest;
import org.opensearch.cluster.metadata.IndexNameExpressionResolver;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.lease.Releasable;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.IndexScopedSettings;
import org.opensearch.common.settings.Setting;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.settings.SettingsFilter;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.env.Environment;
import org.opensearch.env.NodeEnvironment;
import org.opensearch.index.IndexingPressureService;
import org.opensearch.plugins.ActionPlugin;
import org.opensearch.plugins.NetworkPlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.repositories.RepositoriesService;
import org.opensearch.rest.RestController;
import org.opensearch.rest.RestHandler;
import org.opensearch.script.ScriptService;
import org.opensearch.threadpool.Scheduler;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.TransportInterceptor;
import org.opensearch.transport.TransportRequest;
import org.opensearch.transport.TransportRequestHandler;
import org.opensearch.transport.client.Client;
import org.opensearch.watcher.ResourceWatcherService;

/**
 * Commits small bulks that wait for the same shard as one ({@link ShardBulkHandler}), and sends the documents of a bulk
 * to one shard if asked to ({@link DirectedRouting}). Where the server's parts are put together.
 */
public final class FasterBulkPlugin extends Plugin implements ActionPlugin, NetworkPlugin {
    /** How often is looked for bulks that have waited too long. */
    private static final TimeValue SWEEP = TimeValue.timeValueMillis(250);

    private final FasterBulkSettings settings;
    private final FasterBulkStats stats = new FasterBulkStats();
    private @Nullable ClusterService clusterService;
    private @Nullable ThreadPool threadPool;
    private volatile @Nullable ShardBulkHandler handler;
    private Scheduler.@Nullable Cancellable sweep;

    /** The server calls it with the node's own settings. */
    public FasterBulkPlugin(Settings nodeSettings) {
        this.settings = new FasterBulkSettings(nodeSettings);
    }

    @Override
    public List<Setting<?>> getSettings() {
        return FasterBulkSettings.all();
    }

    @Override
    public Collection<Object> createComponents(
            Client client,
            ClusterService clusterService,
            ThreadPool threadPool,
            ResourceWatcherService resourceWatcherService,
            ScriptService scriptService,
            NamedXContentRegistry xContentRegistry,
            Environment environment,
            NodeEnvironment nodeEnvironment,
            NamedWriteableRegistry namedWriteableRegistry,
            IndexNameExpressionResolver indexNameExpressionResolver,
            Supplier<RepositoriesService> repositoriesServiceSupplier) {
        this.clusterService = clusterService;
        this.threadPool = threadPool;
        settings.follow(clusterService.getClusterSettings());
        clusterService.getClusterSettings().addSettingsUpdateConsumer(FasterBulkSettings.ENABLED, on -> {
            ShardBulkHandler there = handler;
            if (on && there != null) {
                there.forgetErrors();
            }
        });
        clusterService.addListener(stats);
        sweep = threadPool.scheduleWithFixedDelay(this::sweep, SWEEP, ThreadPool.Names.GENERIC);
        return List.of(stats);
    }

    private void sweep() {
        ShardBulkHandler there = handler;
        if (there != null) {
            there.beginOverdue(ShardBulkHandler.HELD_MAX);
        }
    }

    @Override
    public List<TransportInterceptor> getTransportInterceptors(
            NamedWriteableRegistry namedWriteableRegistry, ThreadContext threadContext) {
        return List.of(new TransportInterceptor() {
            @Override
            public <T extends TransportRequest> TransportRequestHandler<T> interceptHandler(
                    String action, String executor, boolean forceExecution, TransportRequestHandler<T> server) {
                return action.equals(ShardWrite.ACTION) ? joining(server) : server;
            }
        });
    }

    /** The action's name says what its requests are; the server's types do not. */
    @SuppressWarnings("unchecked")
    private <T extends TransportRequest> TransportRequestHandler<T> joining(TransportRequestHandler<T> server) {
        var before = new ShardBulkHandler(
                (TransportRequestHandler<ConcreteShardRequest<BulkShardRequest>>) (TransportRequestHandler<?>) server,
                settings,
                stats,
                index -> cluster().state().metadata().index(index),
                this::charge,
                Objects.requireNonNull(threadPool),
                System::nanoTime);
        handler = before;
        return (TransportRequestHandler<T>) (TransportRequestHandler<?>) before;
    }

    private ClusterService cluster() {
        return Objects.requireNonNull(clusterService);
    }

    /** As the server would charge it (TransportWriteAction.checkPrimaryLimits, 3.6.0), but from its arrival on. */
    private Releasable charge(ConcreteShardRequest<BulkShardRequest> request, long bytes) {
        IndexingPressureService pressure = cluster().getIndexingPressureService();
        ShardId shard = request.getRequest().shardId();
        if (!request.sentFromLocalReroute()) {
            return pressure.markPrimaryOperationStarted(shard, bytes, false);
        }
        return request.localRerouteInitiatedByNodeClient()
                ? pressure.markPrimaryOperationLocalToCoordinatingNodeStarted(shard, bytes)
                : () -> {};
    }

    @Override
    public List<ActionFilter> getActionFilters() {
        return List.of(new DirectedRouting(settings, stats, cluster(), System::nanoTime));
    }

    @Override
    public List<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> getActions() {
        return List.of(new ActionHandler<>(StatsAction.INSTANCE, StatsAction.Transport.class));
    }

    @Override
    public List<RestHandler> getRestHandlers(
            Settings settings,
            RestController restController,
            ClusterSettings clusterSettings,
            IndexScopedSettings indexScopedSettings,
            SettingsFilter settingsFilter,
            IndexNameExpressionResolver indexNameExpressionResolver,
            Supplier<DiscoveryNodes> nodesInCluster) {
        return List.of(new StatsAction.Rest());
    }

    @Override
    public void close() {
        if (sweep != null) {
            sweep.cancel();
        }
    }
}
