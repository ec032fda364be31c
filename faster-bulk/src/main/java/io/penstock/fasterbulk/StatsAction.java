package io.penstock.fasterbulk;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.opensearch.action.ActionType;
import org.opensearch.action.FailedNodeException;
import org.opensearch.action.support.ActionFilters;
import org.opensearch.action.support.nodes.BaseNodeResponse;
import org.opensearch.action.support.nodes.BaseNodesRequest;
import org.opensearch.action.support.nodes.BaseNodesResponse;
import org.opensearch.action.support.nodes.TransportNodesAction;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.inject.Inject;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.xcontent.ToXContentFragment;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.rest.BaseRestHandler;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.action.RestActions;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.TransportRequest;
import org.opensearch.transport.TransportService;
import org.opensearch.transport.client.node.NodeClient;

/** {@code GET _plugins/_faster_bulk/stats}: asks every node what the plugin has done there. Reads only. */
final class StatsAction extends ActionType<StatsAction.Response> {
    static final StatsAction INSTANCE = new StatsAction();

    private StatsAction() {
        super("cluster:monitor/faster_bulk/stats", Response::new);
    }

    /** To all nodes. */
    static final class Request extends BaseNodesRequest<Request> {
        Request() {
            super(new String[0]);
        }

        Request(StreamInput in) throws IOException {
            super(in);
        }
    }

    /** To one node. */
    static final class NodeRequest extends TransportRequest {
        NodeRequest() {}

        NodeRequest(StreamInput in) throws IOException {
            super(in);
        }
    }

    /** Of one node. */
    static final class NodeResponse extends BaseNodeResponse {
        private final Map<String, Object> stats;

        NodeResponse(DiscoveryNode node, Map<String, Object> stats) {
            super(node);
            this.stats = stats;
        }

        NodeResponse(StreamInput in) throws IOException {
            super(in);
            this.stats = in.readMap();
        }

        @Override
        public void writeTo(StreamOutput out) throws IOException {
            super.writeTo(out);
            out.writeMap(stats);
        }
    }

    /** Of all nodes that have answered. */
    static final class Response extends BaseNodesResponse<NodeResponse> implements ToXContentFragment {
        Response(ClusterName cluster, List<NodeResponse> nodes, List<FailedNodeException> failures) {
            super(cluster, nodes, failures);
        }

        Response(StreamInput in) throws IOException {
            super(in);
        }

        @Override
        protected List<NodeResponse> readNodesFrom(StreamInput in) throws IOException {
            return in.readList(NodeResponse::new);
        }

        @Override
        protected void writeNodesTo(StreamOutput out, List<NodeResponse> nodes) throws IOException {
            out.writeList(nodes);
        }

        @Override
        public XContentBuilder toXContent(XContentBuilder builder, Params params) throws IOException {
            builder.startObject("nodes");
            for (NodeResponse node : getNodes()) {
                builder.startObject(node.getNode().getId());
                builder.field("name", node.getNode().getName());
                builder.field("faster_bulk", node.stats);
                builder.endObject();
            }
            return builder.endObject();
        }
    }

    /** Asks the nodes. */
    public static final class Transport extends TransportNodesAction<Request, Response, NodeRequest, NodeResponse> {
        private final FasterBulkStats stats;

        @Inject
        public Transport(
                ThreadPool threadPool,
                ClusterService clusterService,
                TransportService transportService,
                ActionFilters actionFilters,
                FasterBulkStats stats) {
            super(
                    INSTANCE.name(),
                    threadPool,
                    clusterService,
                    transportService,
                    actionFilters,
                    Request::new,
                    NodeRequest::new,
                    ThreadPool.Names.MANAGEMENT,
                    NodeResponse.class);
            this.stats = stats;
        }

        @Override
        protected Response newResponse(
                Request request, List<NodeResponse> responses, List<FailedNodeException> failures) {
            return new Response(clusterService.getClusterName(), responses, failures);
        }

        @Override
        protected NodeRequest newNodeRequest(Request request) {
            return new NodeRequest();
        }

        @Override
        protected NodeResponse newNodeResponse(StreamInput in) throws IOException {
            return new NodeResponse(in);
        }

        @Override
        protected NodeResponse nodeOperation(NodeRequest request) {
            return new NodeResponse(clusterService.localNode(), stats.toMap());
        }
    }

    /** Answers over HTTP. */
    static final class Rest extends BaseRestHandler {
        @Override
        public String getName() {
            return "faster_bulk_stats_action";
        }

        @Override
        public List<Route> routes() {
            return List.of(new Route(RestRequest.Method.GET, "/_plugins/_faster_bulk/stats"));
        }

        @Override
        protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
            return channel -> client.execute(
                    INSTANCE, new Request(), new RestActions.NodesResponseRestListener<Response>(channel));
        }
    }
}
