package io.penstock.testkit.sim;

import io.penstock.core.batch.Batch;
import io.penstock.core.batch.Batcher;
import io.penstock.core.batch.BufferPool;
import io.penstock.core.batch.DocumentIds;
import io.penstock.core.batch.KeyGate;
import io.penstock.core.checkpoint.Checkpoint;
import io.penstock.core.checkpoint.Ledger;
import io.penstock.core.checkpoint.PartitionMark;
import io.penstock.core.delivery.Backoff;
import io.penstock.core.delivery.BatchJourney;
import io.penstock.core.delivery.BulkReply;
import io.penstock.core.delivery.DeliveryPolicy;
import io.penstock.core.delivery.ItemReply;
import io.penstock.core.delivery.Progress;
import io.penstock.core.delivery.Rejection;
import io.penstock.core.delivery.Settlement;
import io.penstock.core.delivery.Step;
import io.penstock.core.document.Body;
import io.penstock.core.document.Document;
import io.penstock.core.document.Position;
import io.penstock.core.fate.Counts;
import io.penstock.core.source.Partition;
import io.penstock.core.window.Window;
import io.penstock.core.window.WindowLaw;
import io.penstock.core.window.WindowLimits;
import io.penstock.core.window.WindowSize;
import io.penstock.testkit.model.ModelCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One run of Penstock in a {@link World}: the real batcher, gate, window, journey, ledger and checkpoint, driven by
 * events instead of the threads of {@code core.load}. Its offsets are row numbers.
 */
final class SimulatedLoad {
    private static final Partition PARTITION = new Partition(0, "rows", 0, "rows", "rows");
    private static final String INDEX = "model";
    private static final int MEMORY_BATCHES = 6;
    static final String WRITES_LOST = "writes lost";

    private final World world;
    private final BufferPool memory;
    private final KeyGate gate = new KeyGate();
    private final Window window;
    private final Ledger ledger;
    private final boolean resumed;
    private final DocumentIds ids = new DocumentIds(INDEX, PARTITION.identity());
    private final Deque<Delivery> waitingForPlace = new ArrayDeque<>();
    private final List<Delivery> alive = new ArrayList<>();
    private @Nullable Batcher open;
    private int nextRow;
    private boolean readToEnd;
    private long lastSuccess;
    private final long termAtStart;
    private boolean killed;

    @Nullable
    String stopped;

    SimulatedLoad(World world) {
        this.world = world;
        this.termAtStart = world.cluster.primaryTerm();
        this.memory = new BufferPool(reservedFor(world.bulkBytes) * MEMORY_BATCHES);
        var limits = new WindowLimits(100, Math.max(100, world.bulkBytes), 1, 8, Long.MAX_VALUE);
        this.window = new Window(new WindowLaw(limits, new WindowSize(world.bulkBytes, 2)), world.now);
        Checkpoint start = world.checkpoint.orElse(new Checkpoint(
                Map.of(), List.of(new PartitionMark("rows", "rows", new Position(0, 0), false)), Counts.NONE));
        this.resumed = world.checkpoint.isPresent();
        this.ledger = new Ledger(List.of(PARTITION), start.marks(), start.counts());
        this.nextRow = (int) start.marks().get(0).position().offset();
        this.lastSuccess = world.now;
        world.checkpoint = Optional.of(start);
        world.after(World.SECOND, false, this::checkpoint);
        read();
    }

    boolean isComplete() {
        return ledger.marks().get(0).done();
    }

    Counts counts() {
        return ledger.settled();
    }

    /** Everything in memory is gone; requests on their way are not. */
    void kill() {
        killed = true;
        world.forgetClient();
    }

    /** Nothing may be left behind by a load that has ended. */
    void checkNothingLeaks() {
        if (memory.reservedBytes() != 0 || gate.size() != 0 || window.inFlight() != 0) {
            throw new AssertionError("left behind: %d bytes, %d keys, %d permits"
                    .formatted(memory.reservedBytes(), gate.size(), window.inFlight()));
        }
    }

    String idOf(int row) {
        String id = world.rows.get(row).id();
        return id == null ? ids.at(row) : id;
    }

    // ---- reader -------------------------------------------------------------------------------------------------

    private static long reservedFor(long bulkBytes) {
        return bulkBytes + BufferPool.CHUNK_BYTES;
    }

    private void read() {
        while (!readToEnd && stopped == null) {
            if (nextRow == world.rows.size()) {
                handOver();
                readToEnd = true;
                ledger.endOfPartition(0);
                return;
            }
            World.Row row = world.rows.get(nextRow);
            if (!readOne(row)) {
                return; // goes on when a batch has ended
            }
        }
    }

    private boolean readOne(World.Row row) {
        byte[] body = row.body().getBytes(StandardCharsets.UTF_8);
        var document = new Document(
                row.operation(),
                row.id(),
                null,
                row.version(),
                null,
                null,
                Body.borrowed(body, 0, body.length),
                new Position(nextRow, 0));
        if (open != null && !open.hasRoomFor(document)) {
            handOver();
        }
        long bytes = reservedFor(Math.max(window.size().bulkBytes(), Batcher.bytesFor(document)));
        if (open == null && !memory.hasRoomFor(bytes)) {
            return false;
        }
        if (row.id() != null && !gate.tryEnter(row.id())) {
            handOver();
            return false;
        }
        if (open == null) {
            reserve(bytes);
            open = new Batcher(0, memory, bytes, window.size().bulkBytes(), INDEX, false);
        }
        open.add(document, idOf(nextRow), row.id() == null);
        nextRow++;
        if (open.isFull()) {
            handOver();
        }
        return true;
    }

    private void reserve(long bytes) {
        try {
            memory.reserve(bytes);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void handOver() {
        Batcher batcher = open;
        open = null;
        if (batcher == null) {
            return;
        }
        Batch batch = batcher.close(new Position(nextRow, 0));
        ledger.open(batch);
        var delivery = new Delivery(batch);
        alive.add(delivery);
        delivery.go();
    }

    // ---- delivery -----------------------------------------------------------------------------------------------

    private final class Delivery {
        private final Batch batch;
        private final BatchJourney journey;

        Delivery(Batch batch) {
            this.batch = batch;
            this.journey = new BatchJourney(
                    batch,
                    new DeliveryPolicy(Backoff.DEFAULT, 0, Duration.ofHours(2), resumed),
                    world.seeds.generator(),
                    world.now);
        }

        void go() {
            switch (journey.next(world.now)) {
                case Step.Settled settled -> settle(this, settled.settlement());
                case Step.Stop stop -> stopped = stop.reason() + ": " + stop.message();
                case Step.Wait wait -> world.after(wait.untilNanos() - world.now, false, this::go);
                case Step.Confirm confirm -> confirm(confirm.items());
                case Step.Send send -> {
                    if (window.hasPlace()) {
                        send(send.items());
                    } else {
                        window.onWaiting(1, world.now);
                        waitingForPlace.add(this);
                    }
                }
            }
        }

        private void confirm(int[] items) {
            var request = ModelCluster.Request.of(batch, items);
            world.after(world.seeds.intBetween(1, 50) * 1_000_000L, false, () -> {
                journey.onConfirmed(world.cluster.get(request), world.now);
                go();
            });
        }

        private void send(int[] items) {
            Window.Permit permit = window.take(world.now);
            var request = ModelCluster.Request.of(batch, items);
            new Wire(world).carry(request, reply -> {
                if (killed) {
                    return;
                }
                Progress progress = journey.onReply(reply, world.now, lastSuccess);
                if (progress.acknowledged() > 0) {
                    lastSuccess = world.now;
                }
                window.end(permit, progress.outcome(), progress.acknowledged(), world.now);
                if (progress.tooLargeBytes() > 0) {
                    window.onTooLarge(progress.tooLargeBytes(), world.now);
                }
                go();
                wakeWaiting();
            });
        }
    }

    private void wakeWaiting() {
        while (window.hasPlace() && !waitingForPlace.isEmpty()) {
            Delivery next = waitingForPlace.poll();
            window.onWaiting(-1, world.now);
            next.go();
        }
    }

    // ---- settler and checkpoint ---------------------------------------------------------------------------------

    private void settle(Delivery delivery, Settlement settlement) {
        Batch batch = settlement.batch();
        for (Rejection rejection : settlement.rejections()) {
            world.deadLettered.put(
                    (int) batch.position(rejection.item()).offset(), rejection.type() + ": " + rejection.reason());
        }
        ledger.settle(batch, settlement.counts());
        gate.leave(batch.gatedIds());
        batch.release();
        alive.remove(delivery);
        read();
    }

    private void checkpoint() {
        Ledger.Snapshot snapshot = ledger.snapshot();
        if (world.luck.asyncTranslog) {
            world.cluster.flush();
            if (world.cluster.primaryTerm() != termAtStart) {
                stopped = WRITES_LOST;
                return;
            }
        }
        var checkpoint = new Checkpoint(Map.of(), snapshot.marks(), snapshot.counts());
        world.checkpoint = Optional.of(
                Checkpoint.parse(checkpoint.toBytes()).orElseThrow(() -> new AssertionError("unreadable checkpoint")));
        if (!snapshot.marks().get(0).done()) {
            world.after(World.SECOND, false, this::checkpoint);
        }
    }

    /** The way of one request through the network and the server, with the luck of the seed. */
    private static final class Wire {
        private final World world;

        Wire(World world) {
            this.world = world;
        }

        void carry(ModelCluster.Request request, java.util.function.Consumer<BulkReply> answer) {
            Luck luck = world.luck;
            var seeds = world.seeds;
            long there = seeds.intBetween(1, 200) * 1_000_000L;
            boolean calm = world.now > 60 * World.SECOND; // bad luck ends, so that every load can
            if (!calm && seeds.chance(luck.dropBefore)) {
                closed(there, answer);
            } else if (!calm && seeds.chance(luck.dropAfter)) {
                world.after(there, true, () -> world.cluster.apply(request));
                closed(there + 1, answer);
            } else if (!calm && seeds.chance(luck.late)) {
                world.after(there + seeds.intBetween(1, 90) * World.SECOND, true, () -> world.cluster.apply(request));
                world.after(
                        30 * World.SECOND,
                        false,
                        () -> answer.accept(new BulkReply.NoAnswer(BulkReply.Cause.TIMED_OUT, "no answer in 30 s")));
            } else if (!calm && mayBeGarbled(request) && seeds.chance(luck.garbled)) {
                world.after(there, true, () -> {
                    BulkReply reply = world.cluster.apply(request);
                    world.after(1, false, () -> answer.accept(garbled(reply)));
                });
            } else if (!calm && seeds.chance(luck.requestPushBack)) {
                reply(
                        there,
                        answer,
                        new BulkReply.Refused(429, "circuit_breaking_exception", "Data too large", Duration.ZERO));
            } else if (!calm && seeds.chance(luck.unavailable)) {
                reply(
                        there,
                        answer,
                        new BulkReply.Refused(503, "", "not now", Duration.ofSeconds(seeds.intBetween(0, 3))));
            } else if (!calm && seeds.chance(luck.floodStage)) {
                reply(there, answer, ModelCluster.refuseItems(request, 429, "cluster_block_exception"));
            } else {
                world.after(there, true, () -> {
                    if (!calm && seeds.chance(luck.serverCrash)) {
                        world.cluster.apply(request);
                        world.cluster.crash();
                        closed(1, answer);
                        return;
                    }
                    BulkReply reply = partly(request, calm ? 0 : luck.itemPushBack);
                    world.after(1, false, () -> answer.accept(reply));
                });
            }
        }

        /** Three answers in a row that make no sense stop a load, rightly: not here. */
        private boolean mayBeGarbled(ModelCluster.Request request) {
            return request.items().stream().allMatch(item -> world.garbled.merge(item.id(), 1, Integer::sum) <= 2);
        }

        /** Some items are pushed back, the others carried out, as a full write queue on one of several shards does. */
        private BulkReply partly(ModelCluster.Request request, double share) {
            BulkReply whole = world.cluster.apply(new ModelCluster.Request(List.of(), request.bytes()));
            boolean refused = whole instanceof BulkReply.Refused
                    || request.items().stream().anyMatch(item -> item.source().contains("\"poison\""));
            if (share == 0 || refused) {
                return world.cluster.apply(request);
            }
            var replies = new ArrayList<ItemReply>();
            for (ModelCluster.Item item : request.items()) {
                replies.add(
                        world.seeds.chance(share)
                                ? ModelCluster.failed(item, 429, "rejected_execution_exception", "queue full")
                                : world.cluster.apply(item));
            }
            return new BulkReply.Items(replies);
        }

        private BulkReply garbled(BulkReply reply) {
            if (!(reply instanceof BulkReply.Items items) || items.items().isEmpty()) {
                return new BulkReply.NoAnswer(BulkReply.Cause.GARBLED, "half an answer");
            }
            var changed = new ArrayList<>(items.items());
            switch (world.seeds.intBetween(0, 3)) {
                case 0 -> changed.remove(world.seeds.intBetween(0, changed.size()));
                case 1 -> changed.add(changed.get(0));
                default -> {
                    if (changed.size() < 2
                            || Set.copyOf(changed.stream().map(ItemReply::id).toList())
                                            .size()
                                    < 2) {
                        changed.clear();
                    } else {
                        Collections.rotate(changed, 1);
                    }
                }
            }
            return new BulkReply.Items(changed);
        }

        private void closed(long nanos, java.util.function.Consumer<BulkReply> answer) {
            reply(nanos, answer, new BulkReply.NoAnswer(BulkReply.Cause.CLOSED, "closed"));
        }

        private void reply(long nanos, java.util.function.Consumer<BulkReply> answer, BulkReply reply) {
            world.after(nanos, false, () -> answer.accept(reply));
        }
    }
}
