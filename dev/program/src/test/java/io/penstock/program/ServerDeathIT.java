package io.penstock.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.proxy.Fault;
import io.penstock.testkit.proxy.FaultProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows 21, 69, 70 and 71: the only node is killed or frozen in mid-load, or its index is made anew. */
@RealNode(own = true)
class ServerDeathIT {
    private static final String INDEX = "shaken";

    @TempDir
    Path folder;

    private RealCluster node;
    private FaultProxy proxy;
    private Program program;

    @BeforeEach
    void startProxy(RealCluster cluster) {
        node = cluster;
        proxy = FaultProxy.start(cluster.url());
        program = new Program(folder);
    }

    @AfterEach
    void end() {
        program.close();
        proxy.close();
        node.call("DELETE", "/" + INDEX, "");
    }

    @Test
    @Tag("torture")
    void killedServerThatComesBackLosesNothing() throws Exception {
        PlantedDocuments planted = PlantedDocuments.of(20_000, 69);
        proxy.always(new Fault.DelayedReply(Duration.ofMillis(50)));
        Program.Running running = load(planted);
        afterRequests(20);
        node.kill(0);
        assertThat(running.isAlive()).isTrue();
        node.restart(0);
        proof(planted).complete(program, running.end());
        assertThat(running.said()).contains("sending again");
    }

    @Test
    void frozenServerThatGoesOnLosesNothing() throws Exception {
        PlantedDocuments planted = PlantedDocuments.of(20_000, 21);
        proxy.always(new Fault.DelayedReply(Duration.ofMillis(50)));
        Program.Running running = load(planted);
        afterRequests(20);
        node.pause(0);
        try {
            assertThat(running.endsWithin(Duration.ofSeconds(10))).isFalse();
        } finally {
            node.resume(0);
        }
        proof(planted).complete(program, running.end());
    }

    @Test
    @Tag("torture")
    void underAsynchronousTranslogNothingBelowTheCheckpointIsLostWithTheServer() throws Exception {
        PlantedDocuments planted = PlantedDocuments.of(60_000, 70);
        proxy.always(new Fault.DelayedReply(Duration.ofMillis(200)));
        String[] async = {
            "--settings", "index.translog.durability=async", "--settings", "index.translog.sync_interval=120s"
        };
        Program.Running running = load(planted, async);
        await().atMost(90, TimeUnit.SECONDS).until(() -> program.checkpointed() > 0 || !running.isAlive());
        int requests = Math.toIntExact(proxy.journal().requests());
        afterRequests(requests + 20);
        assertThat(running.isAlive()).as("still loading").isTrue();
        node.kill(0);
        long checkpointed = program.checkpointed();
        running.kill();
        long acknowledged = proxy.journal().acknowledgedIds().size();
        node.restart(0);
        proof(planted).nothingLostBelow(checkpointed, program);
        long lost = acknowledged - proof(planted).observed().cardinality();
        System.out.printf(
                "async translog: %,d acknowledged, %,d of them lost with the server, checkpoint at %,d%n",
                acknowledged, lost, checkpointed);
        proxy.heal();
        proof(planted).complete(program, load(planted, async).end());
    }

    @Test
    void indexMadeAnewUnderTheSameNameIsRefused() throws Exception {
        PlantedDocuments planted = PlantedDocuments.of(20_000, 71);
        proxy.always(new Fault.DelayedReply(Duration.ofMillis(100)));
        Program.Running running = load(planted);
        await().atMost(60, TimeUnit.SECONDS).until(() -> program.checkpointed() > 0);
        running.kill();
        proxy.heal();
        node.delete("/" + INDEX);
        assertRefused(planted, "is gone");
        assertThat(node.exists("/" + INDEX)).as("not made anew by us").isFalse();

        node.put("/" + INDEX, "{\"mappings\":" + PlantedDocuments.MAPPING + "}");
        assertRefused(planted, "was made anew");
        assertThat(node.count(INDEX)).isZero();
        proof(planted).complete(program, load(planted, "--restart").end());
    }

    private void assertRefused(PlantedDocuments planted, String why) throws Exception {
        Program.Ended refused = load(planted).end();
        assertThat(refused.exit()).as(refused.err()).isEqualTo(7);
        assertThat(refused.err()).contains("the index " + INDEX, why, "--restart");
    }

    private Program.Running load(PlantedDocuments planted, String... more) throws Exception {
        Path file = folder.resolve("in.ndjson");
        if (!Files.exists(file)) {
            planted.write(file);
        }
        Path mapping = Files.writeString(folder.resolve("mapping.json"), PlantedDocuments.MAPPING);
        Stream<String> options = Stream.of(
                "--mapping", mapping.toString(), "--replicas", "0", "--bulk-bytes", "64kb", "--concurrency", "2");
        return program.load(
                proxy.url(),
                file,
                INDEX,
                Stream.concat(options, Stream.of(more)).toArray(String[]::new));
    }

    private Proof proof(PlantedDocuments planted) {
        return new Proof(node, planted, INDEX);
    }

    private void afterRequests(int count) {
        await().atMost(60, TimeUnit.SECONDS)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> proxy.journal().requests() >= count);
    }
}
