package io.penstock.servertests;

import com.carrotsearch.randomizedtesting.annotations.Name;
import com.carrotsearch.randomizedtesting.annotations.ParametersFactory;
import io.penstock.node.ClusterSpec;
import io.penstock.node.Distribution;
import io.penstock.node.LocalCluster;
import io.penstock.node.NodeStatus;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.After;
import org.junit.AfterClass;
import org.opensearch.client.Request;
import org.opensearch.test.rest.yaml.ClientYamlTestCandidate;
import org.opensearch.test.rest.yaml.ObjectPath;
import org.opensearch.test.rest.yaml.OpenSearchClientYamlSuiteTestCase;

/** OpenSearch's own tests of bulk, create, index, update and delete, on a node where the plugin joins and directs. */
public final class ServersOwnRestTestsIT extends OpenSearchClientYamlSuiteTestCase {
    private static final Path PLUGIN = Path.of("..", "..", "faster-bulk", "target", "faster-bulk.zip");

    /** The tests are in it; while it is open, the framework finds them as in any folder. */
    private static final FileSystem ARCHIVE = open("/rest-api-spec/test");

    private static int joined;
    private static int directed;

    public ServersOwnRestTestsIT(@Name("yaml") ClientYamlTestCandidate test) {
        super(test);
    }

    static {
        startNode(); // before the framework looks for a cluster
    }

    @ParametersFactory
    public static Iterable<Object[]> tests() throws Exception {
        return createParameters();
    }

    private static FileSystem open(String resource) {
        try {
            URL url = Objects.requireNonNull(ServersOwnRestTestsIT.class.getResource(resource));
            return FileSystems.newFileSystem(url.toURI(), Map.of());
        } catch (IOException | URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void startNode() {
        LocalCluster cluster = LocalCluster.at(Path.of("target", "servers"), "own-tests");
        cluster.delete();
        var spec = new ClusterSpec(
                Distribution.DEFAULT,
                1,
                "512m",
                Map.of("faster_bulk.enabled", "true", "faster_bulk.directed_routing", "true"),
                List.of(PLUGIN));
        NodeStatus node = cluster.start(spec, ignored -> {}).nodes().getFirst();
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::delete, "end-the-servers"));
        System.setProperty("tests.rest.cluster", node.url().getAuthority());
        System.setProperty("tests.cluster", node.url().getAuthority());
        System.setProperty("tests.clustername", "own-tests");
    }

    /** Before the framework takes the indices away, and the counts with them. */
    @After
    public void countWhatThePluginDid() throws IOException {
        ObjectPath stats = ObjectPath.createFromResponse(
                client().performRequest(new Request("GET", "/_plugins/_faster_bulk/stats")));
        Map<String, Object> nodes = stats.evaluate("nodes");
        String counts = "nodes." + nodes.keySet().iterator().next() + ".faster_bulk.";
        assertEquals(Integer.valueOf(0), stats.evaluate(counts + "errors"));
        joined += stats.<Integer>evaluate(counts + "requests");
        directed += stats.<Integer>evaluate(counts + "directed_documents");
    }

    @AfterClass
    public static void thePluginWasThere() throws IOException {
        ARCHIVE.close();
        assertTrue("requests that came to the plugin: " + joined, joined > 0);
        assertTrue("documents that it directed: " + directed, directed > 0);
    }
}
