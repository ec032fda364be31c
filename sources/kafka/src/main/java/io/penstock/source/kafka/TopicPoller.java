package io.penstock.source.kafka;

import io.penstock.core.document.Position;
import io.penstock.core.source.LiveSource;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceException.Reason;
import io.penstock.core.time.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the Kafka consumer on a thread of its own, so that the group hears of us also while the cluster takes nothing for
 * minutes: polls, keeps some megabytes ready for the reader, commits what is safe, and gives partitions up when the
 * group shares them anew.
 */
final class TopicPoller implements ConsumerRebalanceListener {
    private static final Logger LOGGER = LoggerFactory.getLogger(TopicPoller.class);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration IDLE_AFTER = Duration.ofMillis(100);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final int LOOKS_BETWEEN_CHECKS = 10;
    private static final Duration ASK = Duration.ofSeconds(5);
    private static final long READY_BYTES_MAX = 12L << 20;

    /** Within {@code max.poll.interval.ms}, after which the group takes us for dead. */
    private static final Duration DRAIN_MAX = Duration.ofSeconds(30);

    private final Topic topic;
    private final Consumer<byte[], byte[]> consumer;
    private final boolean inGroup;
    private final InFlight inFlight;
    private final Duration outageMax;
    private final Map<TopicPartition, Long> beginnings;
    private final Map<TopicPartition, Long> bound;
    private final BlockingDeque<Polled> ready = new LinkedBlockingDeque<>();
    private final AtomicLong readyBytes = new AtomicLong();
    private final AtomicLong readyRecords = new AtomicLong();
    private final Map<TopicPartition, Long> polledTo = new HashMap<>();
    private final Map<TopicPartition, Long> uncommitted = new HashMap<>();
    private final Thread thread;

    private Polled.@Nullable Chunk reading;
    private long lookedAt;
    private int looks;
    private long answeredAt;
    private boolean ended;
    private volatile long newestReadMillis = System.currentTimeMillis();
    private volatile LiveSource.Lag lag = LiveSource.Lag.UNKNOWN;
    private volatile boolean shared;
    private volatile boolean readingEnded;
    private volatile boolean closed;

    /**
     * @param consumer its own from now on
     * @param inGroup whether partitions are shared with others; if not, all are read, from their beginning
     * @param beginnings where each partition begins
     * @param bound where to end, by partition; empty to go on for ever
     */
    TopicPoller(
            Topic topic,
            Consumer<byte[], byte[]> consumer,
            boolean inGroup,
            InFlight inFlight,
            Map<TopicPartition, Long> beginnings,
            Map<TopicPartition, Long> bound,
            Duration outageMax) {
        this.topic = topic;
        this.consumer = consumer;
        this.inGroup = inGroup;
        this.inFlight = inFlight;
        this.beginnings = beginnings;
        this.bound = bound;
        this.outageMax = outageMax;
        this.answeredAt = System.nanoTime();
        this.thread = Thread.ofPlatform().name("poller").daemon().start(this::run);
    }

    // ---- for the reader -----------------------------------------------------------------------------------------

    /** What comes next, or null if nothing has for a moment. */
    @Nullable
    Polled next() {
        try {
            Polled next = ready.pollFirst(IDLE_AFTER.toMillis(), TimeUnit.MILLISECONDS);
            if (next instanceof Polled.Chunk chunk) {
                readyBytes.addAndGet(-chunk.bytes());
            }
            synchronized (this) {
                reading = next instanceof Polled.Chunk chunk ? chunk : null;
            }
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** The reader has taken this record. */
    void read(ConsumerRecord<byte[], byte[]> record) {
        readyRecords.decrementAndGet();
        newestReadMillis = record.timestamp();
    }

    /** Nobody reads any more; positions are still committed. */
    void readNoMore() {
        readingEnded = true;
    }

    LiveSource.Lag lag() {
        return lag;
    }

    /** Whether others have had partitions of the topic meanwhile. */
    boolean isShared() {
        return shared;
    }

    /**
     * Commits what is safe, leaves the group and ends.
     *
     * @return why the last positions were not committed, or nothing
     */
    Optional<String> close() {
        closed = true;
        Threads.joinUninterrupted(thread);
        return uncommitted.isEmpty() ? Optional.empty() : Optional.of("no broker took the last positions");
    }

    // ---- the thread ---------------------------------------------------------------------------------------------

    private void run() {
        try {
            if (inGroup) {
                consumer.subscribe(List.of(topic.name()), this);
            } else {
                consumer.assign(topic.partitions());
                consumer.seekToBeginning(topic.partitions());
            }
            while (!closed) {
                step();
            }
        } catch (KafkaException e) {
            ready.addLast(new Polled.Broken(broken(e)));
            awaitClosed();
        } finally {
            leave();
        }
    }

    private void step() {
        commitSafe();
        takeABreath();
        enqueue(consumer.poll(POLL));
        long now = System.nanoTime();
        if (now - lookedAt > LOOK_EVERY.toNanos()) {
            lookedAt = now;
            lookAround();
        }
    }

    /** With enough ready for the reader, the group still has to hear of us. */
    private void takeABreath() {
        Set<TopicPartition> assigned = consumer.assignment();
        if (readingEnded || readyBytes.get() > READY_BYTES_MAX) {
            consumer.pause(assigned);
        } else if (!consumer.paused().isEmpty()) {
            consumer.resume(consumer.paused());
        }
    }

    private void enqueue(ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition partition : records.partitions()) {
            add(partition, records.records(partition), consumer.position(partition));
        }
    }

    private void add(TopicPartition partition, List<ConsumerRecord<byte[], byte[]>> polled, long end) {
        long limit = bound.getOrDefault(partition, Long.MAX_VALUE);
        List<ConsumerRecord<byte[], byte[]>> records = polled;
        if (end > limit) {
            records = polled.stream().filter(record -> record.offset() < limit).toList();
        }
        var chunk = new Polled.Chunk(partition.partition(), records, Math.min(end, limit));
        polledTo.put(partition, chunk.end());
        readyBytes.addAndGet(chunk.bytes());
        readyRecords.addAndGet(chunk.size());
        ready.addLast(chunk);
    }

    // ---- once in a second ---------------------------------------------------------------------------------------

    private void lookAround() {
        try {
            passOverMarkers();
            Map<TopicPartition, Long> ends = consumer.endOffsets(topic.partitions(), ASK);
            Map<TopicPartition, Long> done = progress();
            if (looks++ % LOOKS_BETWEEN_CHECKS == 0) {
                topic.checkUnchanged();
            }
            answeredAt = System.nanoTime();
            measure(ends, done);
            endIfDone(done);
        } catch (SourceException e) {
            ready.addLast(new Polled.Broken(e));
            awaitClosed();
        } catch (RetriableException e) {
            outage(e);
        }
    }

    /** Markers of transactions are not records, but the end is behind them. */
    private void passOverMarkers() {
        for (TopicPartition partition : consumer.assignment()) {
            long position = consumer.position(partition, ASK);
            Long known = polledTo.get(partition);
            if (known != null && position > known && known < bound.getOrDefault(partition, Long.MAX_VALUE)) {
                add(partition, List.of(), position);
            }
        }
    }

    /** How far each partition is read, by us or by whoever has it. */
    private Map<TopicPartition, Long> progress() {
        var done = new HashMap<>(polledTo);
        if (inGroup) {
            var others = new HashSet<>(topic.partitions());
            others.removeAll(consumer.assignment());
            consumer.committed(others, ASK).forEach((partition, committed) -> {
                if (committed != null) {
                    done.put(partition, committed.offset());
                } else {
                    done.remove(partition);
                }
            });
        }
        return done;
    }

    private void measure(Map<TopicPartition, Long> ends, Map<TopicPartition, Long> done) {
        long unread = readyRecords.get();
        for (TopicPartition partition : topic.partitions()) {
            unread += Math.max(0, ends.getOrDefault(partition, 0L) - at(partition, done));
        }
        Duration age = Duration.ofMillis(Math.max(0, System.currentTimeMillis() - newestReadMillis));
        lag = new LiveSource.Lag(unread, unread == 0 ? Duration.ZERO : age, Optional.empty());
    }

    private long at(TopicPartition partition, Map<TopicPartition, Long> done) {
        return done.getOrDefault(partition, beginnings.getOrDefault(partition, 0L));
    }

    private void endIfDone(Map<TopicPartition, Long> done) {
        boolean all = !bound.isEmpty()
                && bound.entrySet().stream().allMatch(each -> at(each.getKey(), done) >= each.getValue());
        if (all && !ended) {
            ended = true;
            ready.addLast(new Polled.End());
        }
    }

    private void outage(RetriableException e) {
        Duration silent = Duration.ofNanos(System.nanoTime() - answeredAt);
        lag = new LiveSource.Lag(
                lag.records(), lag.age(), Optional.of("no broker of %s answers".formatted(topic.address())));
        if (!outageMax.isZero() && silent.compareTo(outageMax) > 0) {
            ready.addLast(new Polled.Broken(new SourceException(
                    Reason.GONE,
                    "no broker of %s has answered for %d s: start it; the same command goes on where it was"
                            .formatted(topic.address(), silent.toSeconds()),
                    inFlight.next(),
                    e)));
            awaitClosed();
        }
    }

    // ---- commits ------------------------------------------------------------------------------------------------

    /** Everything before this position is safe. */
    void commit(Position position) {
        inFlight.safe(position);
    }

    private void commitSafe() {
        inFlight.newlySafe()
                .forEach((partition, offset) -> uncommitted.put(new TopicPartition(topic.name(), partition), offset));
        uncommitted.keySet().retainAll(inGroup ? consumer.assignment() : Set.of()); // never for others
        if (uncommitted.isEmpty()) {
            return;
        }
        try {
            var offsets = new HashMap<TopicPartition, OffsetAndMetadata>();
            uncommitted.forEach((partition, offset) -> offsets.put(partition, new OffsetAndMetadata(offset)));
            consumer.commitSync(offsets, ASK);
            uncommitted.clear();
        } catch (CommitFailedException e) {
            LOGGER.debug("the group has shared its partitions without us", e);
            uncommitted.clear(); // whoever has them now reads these records again, which changes nothing
        } catch (RetriableException | RebalanceInProgressException e) {
            LOGGER.debug("not committed yet", e);
        }
    }

    // ---- sharing ------------------------------------------------------------------------------------------------

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        LOGGER.debug("assigned {}", partitions);
        if (consumer.assignment().size() < topic.partitions().size()) {
            shared = true;
        }
        Map<TopicPartition, OffsetAndMetadata> committed =
                patiently(() -> consumer.committed(new HashSet<>(partitions), ASK));
        for (TopicPartition partition : partitions) {
            OffsetAndMetadata known = committed.get(partition);
            if (known == null) {
                consumer.seekToBeginning(List.of(partition));
            } else {
                consumer.seek(partition, known.offset());
            }
        }
        // Only now: asking for one position looks after all of them, and one that is not set has no reset policy.
        partitions.forEach(partition -> polledTo.put(partition, patiently(() -> consumer.position(partition, ASK))));
    }

    /** Asks again while no broker answers: without the answer the consumer would have no place to read from. */
    private <T> T patiently(Supplier<T> question) {
        long began = System.nanoTime();
        while (true) {
            try {
                return question.get();
            } catch (RetriableException e) {
                boolean tooLong = !outageMax.isZero() && System.nanoTime() - began > outageMax.toNanos();
                if (tooLong || closed) {
                    throw e;
                }
                LOGGER.debug("asking again", e);
                pause();
            }
        }
    }

    /** What was read of them is waited for, so that the next reader does not write the same ids at the same time. */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        LOGGER.debug("revoked {}", partitions);
        giveUp(partitions);
        if (!partitions.isEmpty()) {
            shared |= !closed;
            ready.addFirst(new Polled.Flush());
            drain();
            commitSafe();
        }
        partitions.forEach(polledTo::remove);
    }

    private void drain() {
        long until = System.nanoTime() + DRAIN_MAX.toNanos();
        try {
            boolean drained = false;
            while (!drained && !closed && System.nanoTime() - until < 0) {
                drained = inFlight.awaitSafe(POLL);
            }
            LOGGER.debug("drained: {}", drained);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        LOGGER.debug("lost {}", partitions);
        shared = true; // others have them, who did not wait for us
        giveUp(partitions);
        partitions.forEach(polledTo::remove);
    }

    /** Nothing more is read of them. */
    private void giveUp(Collection<TopicPartition> partitions) {
        var numbers = new HashSet<Integer>();
        partitions.forEach(partition -> numbers.add(partition.partition()));
        var waiting = new ArrayList<>(ready);
        synchronized (this) {
            if (reading != null) {
                waiting.add(reading);
            }
        }
        if (!partitions.isEmpty() && ready.removeIf(Polled.End.class::isInstance)) {
            ended = false; // what stood before the end and is given up comes again, here or elsewhere
        }
        for (Polled each : waiting) {
            if (each instanceof Polled.Chunk chunk && numbers.contains(chunk.partition())) {
                readyRecords.addAndGet(-chunk.revoke());
            }
        }
    }

    // ---- the end ------------------------------------------------------------------------------------------------

    private SourceException broken(KafkaException e) {
        if (e instanceof OffsetOutOfRangeException out) {
            return outOfRange(out);
        }
        if (e instanceof AuthenticationException || e instanceof AuthorizationException) {
            return new SourceException(
                    Reason.GONE,
                    "%s refuses us: %s; check --kafka-config".formatted(topic.address(), e.getMessage()),
                    inFlight.next(),
                    e);
        }
        return new SourceException(
                Reason.CORRUPT,
                "%s cannot be read any further: %s".formatted(topic.address(), e.getMessage()),
                inFlight.next(),
                e);
    }

    private SourceException outOfRange(OffsetOutOfRangeException out) {
        Map.Entry<TopicPartition, Long> first =
                out.offsetOutOfRangePartitions().entrySet().iterator().next();
        long beginning = beginning(first.getKey());
        String gone = first.getValue() < beginning
                ? "records %,d to %,d of %s no longer exist: they were removed before they were read; --restart reads what is left"
                        .formatted(first.getValue(), beginning - 1, first.getKey())
                : "%s ends before record %,d, which was to be read next: records that were read before are gone; --restart reads what is left"
                        .formatted(first.getKey(), first.getValue());
        return new SourceException(Reason.CHANGED, gone, inFlight.next(), out);
    }

    private long beginning(TopicPartition partition) {
        try {
            return consumer.beginningOffsets(List.of(partition), ASK).getOrDefault(partition, 0L);
        } catch (RetriableException e) {
            return beginnings.getOrDefault(partition, 0L); // as it was when we began
        }
    }

    /** What was read may still become safe, and is then committed. */
    private void awaitClosed() {
        while (!closed) {
            try {
                commitSafe();
                consumer.pause(consumer.assignment());
                consumer.poll(POLL);
            } catch (KafkaException e) {
                LOGGER.debug("broken already", e);
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(POLL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void leave() {
        try {
            commitSafe();
        } catch (KafkaException e) {
            LOGGER.debug("the last positions are not committed", e);
        }
        try {
            consumer.close(CloseOptions.timeout(ASK)
                    .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
        } catch (KafkaException e) {
            LOGGER.debug("the consumer did not end well", e);
        }
    }
}
