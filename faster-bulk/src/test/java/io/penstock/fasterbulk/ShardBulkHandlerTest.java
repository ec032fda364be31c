package io.penstock.fasterbulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.support.WriteRequest;
import org.opensearch.action.support.replication.ReplicationResponse;
import org.opensearch.action.support.replication.TransportReplicationAction.ConcreteShardRequest;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.tasks.Task;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.TransportChannel;

/** What becomes of shard bulks between their senders and the server's handler, in the test's hands here. */
class ShardBulkHandlerTest {
    private static final ShardId SHARD = new ShardId("logs", "uuid", 0);
    private static final Task TASK = new Task(1, "transport", ShardWrite.ACTION, "", null, Map.of());

    private final ThreadPool threads =
            new ThreadPool(Settings.builder().put("node.name", "test").build());
    private final FasterBulkStats stats = new FasterBulkStats();
    private final List<Written> server = new ArrayList<>();
    private final List<String> answers = new ArrayList<>();
    private Settings index = Settings.EMPTY;
    private long charged;
    private long chargedMax = Long.MAX_VALUE;
    private long now;
    private @Nullable RuntimeException refusal;
    private ShardBulkHandler handler = handler();

    /** What came to the server, and how it answers. */
    private record Written(BulkShardRequest bulk, TransportChannel channel, String user) {
        List<String> ids() {
            List<String> ids = new ArrayList<>();
            for (BulkItemRequest item : bulk.items()) {
                ids.add(item.request().id());
            }
            return ids;
        }
    }

    private ShardBulkHandler handler() {
        var settings = new FasterBulkSettings(Settings.builder()
                .put("faster_bulk.enabled", true)
                .put("faster_bulk.writes_in_flight", 1)
                .build());
        return new ShardBulkHandler(
                (request, channel, task) -> {
                    if (refusal != null) {
                        throw refusal;
                    }
                    server.add(new Written(request.getRequest(), channel, user()));
                },
                settings,
                stats,
                ignored -> IndexMetadata.builder("logs")
                        .settings(Settings.builder()
                                .put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT)
                                .put(IndexMetadata.SETTING_NUMBER_OF_SHARDS, 1)
                                .put(IndexMetadata.SETTING_NUMBER_OF_REPLICAS, 0)
                                .put(index))
                        .build(),
                (request, bytes) -> {
                    if (charged + bytes > chargedMax) {
                        throw new OpenSearchRejectedExecutionException("full");
                    }
                    charged += bytes;
                    return () -> charged -= bytes;
                },
                threads,
                () -> now);
    }

    @BeforeEach
    void begin() {
        handler = handler();
    }

    @AfterEach
    void end() {
        ThreadPool.terminate(threads, 10, TimeUnit.SECONDS);
    }

    @Test
    void whatArrivesDuringAWriteIsWrittenTogetherAndEachSenderGetsItsOwnItems() throws Exception {
        send("a", "1", "2");
        send("b", "3");
        send("c", "4", "5", "6");
        assertThat(server).hasSize(1);
        answer(0);
        assertThat(answers).containsExactly("a: 1 2");
        assertThat(server.get(1).ids()).containsExactly("3", "4", "5", "6");
        answer(1);
        assertThat(answers).containsExactly("a: 1 2", "b: 3", "c: 4 5 6");
        assertThat(charged).as("bytes charged at the end").isZero();
    }

    @Test
    void whatWaitsIsCharged() throws Exception {
        send("a", "1");
        long one = charged;
        send("b", "2");
        assertThat(charged).isEqualTo(2 * one).isPositive();
    }

    @Test
    void overTheLimitABulkGoesToTheServerAsItCame() throws Exception {
        send("a", "1");
        chargedMax = charged;
        send("b", "2");
        assertThat(server).hasSize(2);
        assertThat(passedThrough("indexing_pressure")).isEqualTo(1);
    }

    @Test
    void bulksOfDifferentUsersAreNeverJoinedAndEachIsWrittenInItsOwnName() throws Exception {
        as("alice", () -> send("a", "1"));
        as("bob", () -> send("b", "2"));
        as("alice", () -> send("c", "3"));
        as("bob", () -> send("d", "4"));
        answer(0);
        answer(1);
        answer(2);
        answer(3);
        assertThat(server).extracting(Written::user).containsExactly("alice", "bob", "alice", "bob");
        assertThat(server).extracting(Written::ids).allMatch(ids -> ids.size() == 1);
        assertThat(answers).containsExactlyInAnyOrder("a: 1", "b: 2", "c: 3", "d: 4");
    }

    @Test
    void bulksThatAskForDifferentThingsAreNeverJoined() throws Exception {
        send("a", "1");
        send("b", bulk("2").setRefreshPolicy(WriteRequest.RefreshPolicy.IMMEDIATE), "allocation", 1);
        send("c", bulk("3").waitForActiveShards(2), "allocation", 1);
        send("d", bulk("4").timeout(TimeValue.timeValueSeconds(7)), "allocation", 1);
        send("e", bulk("5"), "another allocation", 1);
        send("f", bulk("6"), "allocation", 2);
        assertThat(server).as("each is the first of its kind").hasSize(6);
        assertThat(server).extracting(written -> written.bulk().items().length).containsOnly(1);
    }

    @Test
    void aWriteThatFailsFailsForEachOfItsSendersAndTheNextOneBegins() throws Exception {
        send("a", "1");
        send("b", "2");
        send("c", "3");
        answer(0);
        send("d", "4");
        server.get(1).channel().sendResponse(new IllegalStateException("the shard is closed"));
        assertThat(answers).containsExactly("a: 1", "b failed: the shard is closed", "c failed: the shard is closed");
        eventually(3);
        answer(2);
        assertThat(answers).last().isEqualTo("d: 4");
        assertThat(charged).isZero();
    }

    @Test
    void aServerThatThrowsInsteadFailsForEachOfThemToo() throws Exception {
        send("a", "1");
        send("b", "2");
        send("c", "3");
        refusal = new OpenSearchRejectedExecutionException("the queue is full");
        answer(0);
        assertThat(answers).containsExactly("b failed: the queue is full", "c failed: the queue is full", "a: 1");
        assertThat(charged).isZero();
    }

    @Test
    void afterThreeErrorsOfItsOwnItLeavesEverythingToTheServer() throws Exception {
        for (int error = 0; error < ShardBulkHandler.ERRORS_MAX; error++) {
            server.clear();
            answers.clear();
            send("a", "1");
            send("b", "2");
            send("c", "3");
            answer(0);
            server.get(1).channel().sendResponse(response(List.of("2"))); // one item for two senders
            assertThat(answers)
                    .hasSize(3)
                    .filteredOn(answer -> answer.contains("failed"))
                    .hasSize(2);
            assertThat(charged).isZero();
        }
        server.clear();
        send("a", "1");
        send("b", "2");
        assertThat(server).as("nobody waits any more").hasSize(2);
        assertThat(passedThrough("errors")).isEqualTo(2);
        assertThat(stats.toMap().get("errors")).isEqualTo(3L);

        handler.forgetErrors();
        send("c", "3");
        send("d", "4");
        assertThat(server).hasSize(3);
    }

    @Test
    void whoHasWaitedTooLongIsWrittenBesideTheWriteBefore() throws Exception {
        send("a", "1");
        send("b", "2");
        now += ShardBulkHandler.HELD_MAX.nanos();
        handler.beginOverdue(ShardBulkHandler.HELD_MAX);
        assertThat(server).hasSize(2);
    }

    @Test
    void anIndexThatIsSwitchedOffIsLeftAlone() throws Exception {
        index = Settings.builder().put("index.faster_bulk.enabled", false).build();
        send("a", "1");
        send("b", "2");
        assertThat(server).hasSize(2);
        assertThat(passedThrough("off")).isEqualTo(2);
    }

    @Test
    void whatIsLargeInAHurryOrWaitsForARefreshIsLeftAlone() throws Exception {
        send("a", "1");
        send("b", bulk("2").timeout(TimeValue.timeValueSeconds(1)), "allocation", 1);
        send("c", bulk("3").setRefreshPolicy(WriteRequest.RefreshPolicy.WAIT_UNTIL), "allocation", 1);
        BulkShardRequest large = bulk("4");
        ((IndexRequest) large.items()[0].request()).source(Map.of("text", "x".repeat(2 << 20)));
        send("d", large, "allocation", 1);
        assertThat(server).hasSize(4);
        assertThat(List.of(passedThrough("short_timeout"), passedThrough("waits_for_refresh"), passedThrough("large")))
                .containsOnly(1L);
    }

    // ---- senders and server -------------------------------------------------------------------------------------

    private void send(String sender, String... ids) throws Exception {
        send(sender, bulk(ids), "allocation", 1);
    }

    private void send(String sender, BulkShardRequest bulk, String allocation, long term) throws Exception {
        handler.messageReceived(new ConcreteShardRequest<>(bulk, allocation, term), new Sender(sender), TASK);
    }

    private static BulkShardRequest bulk(String... ids) {
        var items = new BulkItemRequest[ids.length];
        for (int i = 0; i < ids.length; i++) {
            items[i] =
                    new BulkItemRequest(i, new IndexRequest("logs").id(ids[i]).source(Map.of("n", i)));
        }
        return new BulkShardRequest(SHARD, WriteRequest.RefreshPolicy.NONE, items);
    }

    private void answer(int write) throws Exception {
        Written written = server.get(write);
        written.channel().sendResponse(response(written.ids()));
    }

    private static BulkShardResponse response(List<String> ids) {
        var items = new BulkItemResponse[ids.size()];
        for (int i = 0; i < items.length; i++) {
            items[i] = new BulkItemResponse(
                    i,
                    DocWriteRequest.OpType.INDEX,
                    new BulkItemResponse.Failure("logs", ids.get(i), new IllegalArgumentException("no matter")));
        }
        var response = new BulkShardResponse(SHARD, items);
        response.setShardInfo(new ReplicationResponse.ShardInfo(1, 1));
        return response;
    }

    /** A write that waited is begun by a thread of the pool. */
    private void eventually(int writes) {
        await().untilAsserted(() -> assertThat(server).hasSize(writes));
    }

    private long passedThrough(String why) {
        Object counts = ((Map<?, ?>) stats.toMap().getOrDefault("passed_through", Map.of())).get(why);
        return counts instanceof Long count ? count : 0;
    }

    private interface Action {
        void run() throws Exception;
    }

    private void as(String user, Action action) throws Exception {
        ThreadContext context = threads.getThreadContext();
        try (ThreadContext.StoredContext before = context.stashContext()) {
            context.putHeader("user", user);
            action.run();
            assertThat(before).isNotNull();
        }
    }

    private String user() {
        return String.valueOf(threads.getThreadContext().getHeader("user"));
    }

    private final class Sender implements TransportChannel {
        private final String name;
        private final String user = user();

        Sender(String name) {
            this.name = name;
        }

        @Override
        public String getProfileName() {
            return "test";
        }

        @Override
        public String getChannelType() {
            return "test";
        }

        @Override
        public void sendResponse(TransportResponse response) {
            assertThat(user()).isEqualTo(user);
            List<String> ids = new ArrayList<>();
            for (BulkItemResponse item : ((BulkShardResponse) response).getResponses()) {
                ids.add(item.getId());
            }
            assertThat(((BulkShardResponse) response).getShardInfo().getSuccessful())
                    .isEqualTo(1);
            answers.add(name + ": " + String.join(" ", ids));
        }

        @Override
        public void sendResponse(Exception failure) {
            assertThat(user()).isEqualTo(user);
            answers.add(name + " failed: " + failure.getMessage());
        }
    }
}
