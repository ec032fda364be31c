package io.penstock.source.kafka;

import io.penstock.core.document.Position;
import io.penstock.core.source.LiveSource;
import io.penstock.core.source.Partition;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceException.Reason;
import io.penstock.core.source.SourceReader;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka topic of finished documents. Several readers of the same target share its partitions as one consumer group;
 * positions are committed to that group, only of what is safe in the target. A target has a group of its own, named
 * after the index's UUID, so that one topic feeds any number of indices, each with its own position.
 */
public final class TopicSource implements LiveSource {
    /** Offsets stay below this for longer than any topic lives; what is above counts how often it was made anew. */
    static final int OFFSET_BITS = 44;

    private static final Duration ASK = Duration.ofSeconds(20);

    private final TopicOptions options;
    private final Topic topic;
    private InFlight inFlight = new InFlight();
    private @Nullable TopicPoller poller;
    private boolean shared;
    private String group = "";
    private String member = "";
    private long generation;

    private TopicSource(TopicOptions options, Topic topic) {
        this.options = options;
        this.topic = topic;
    }

    /**
     * Finds the topic.
     *
     * @throws SourceException if no broker answers, or there is no such topic
     * @throws IllegalArgumentException if Kafka does not take the properties in {@code options}
     */
    public static TopicSource of(TopicAddress address, TopicOptions options) throws SourceException {
        try {
            var config = new HashMap<String, Object>(options.config());
            config.put("bootstrap.servers", address.brokers());
            return new TopicSource(options, Topic.find(address, Admin.create(config)));
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        } catch (KafkaException e) {
            throw new IllegalArgumentException(reason(e), e);
        }
    }

    /** Kafka's own exception says no more than that it could not construct a client. */
    private static String reason(KafkaException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return String.valueOf(cause.getMessage());
    }

    @Override
    public String name() {
        return topic.address().toString();
    }

    @Override
    public List<Partition> partitions() {
        return List.of(new Partition(0, name(), Partition.UNKNOWN_SIZE, topic.id(), topic.id()));
    }

    @Override
    public synchronized String readFor(String target, String reader, Optional<String> kept, boolean fromTheBeginning)
            throws SourceException {
        member = reader;
        group = options.config().getOrDefault(ConsumerConfig.GROUP_ID_CONFIG, "penstock") + "." + target;
        String partitions = Integer.toString(topic.partitions().size());
        generation = 0;
        if (kept.isPresent()) {
            String[] words = kept.get().split(" ");
            boolean same = words[0].equals(topic.id());
            generation = Long.parseLong(words[2]) + (same ? 0 : 1);
            if (!same && !fromTheBeginning) {
                throw new SourceException(
                        Reason.CHANGED,
                        "%s is not the topic that this index was filled from, which was deleted and made anew: load it into a new index, or use --restart to take its documents for newer ones"
                                .formatted(name()),
                        Position.START);
            }
            if (same && !words[1].equals(partitions)) {
                throw new SourceException(
                        Reason.CHANGED,
                        "%s has %s partitions now and had %s: keys have moved, so that offsets no longer tell old documents from new ones; write to a new topic and load that"
                                .formatted(name(), partitions, words[1]),
                        Position.START);
            }
        }
        if (fromTheBeginning) {
            topic.forget(group);
        }
        return topic.id() + " " + partitions + " " + generation;
    }

    @Override
    public synchronized SourceReader open(Partition partition, Position from) throws SourceException {
        close(); // when what was read is sent again
        inFlight = new InFlight();
        Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(consumerConfig());
        try {
            Map<TopicPartition, Long> bound =
                    options.follow() && !group.isEmpty() ? Map.of() : consumer.endOffsets(topic.partitions(), ASK);
            Map<TopicPartition, Long> beginnings = consumer.beginningOffsets(topic.partitions(), ASK);
            var started = new TopicPoller(
                    topic, consumer, !group.isEmpty(), inFlight, beginnings, bound, options.outageMax());
            poller = started;
            return new TopicReader(started, inFlight, new RecordDocuments(options, generation << OFFSET_BITS));
        } catch (KafkaException e) {
            consumer.close();
            throw new SourceException(
                    Reason.GONE, "%s does not say where it ends: %s".formatted(name(), e.getMessage()), from, e);
        }
    }

    private Map<String, Object> consumerConfig() {
        var config = new HashMap<String, Object>();
        config.put("client.id", "penstock");
        config.put("session.timeout.ms", 10_000); // after a kill -9 others go on this soon
        config.put("max.poll.records", 5_000);
        config.put("fetch.max.bytes", 8 << 20);
        config.put("max.partition.fetch.bytes", 2 << 20);
        config.put("isolation.level", "read_committed");
        config.putAll(options.config());
        config.put("bootstrap.servers", topic.address().brokers());
        config.put("partition.assignment.strategy", CooperativeStickyAssignor.class.getName());
        config.put("group.protocol", "classic");
        config.put("enable.auto.commit", false);
        config.put("auto.offset.reset", "none"); // a gap is never passed over in silence
        config.put("allow.auto.create.topics", false);
        config.put("key.deserializer", ByteArrayDeserializer.class.getName());
        config.put("value.deserializer", ByteArrayDeserializer.class.getName());
        if (group.isEmpty()) {
            config.remove(ConsumerConfig.GROUP_ID_CONFIG);
        } else {
            config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
            config.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, member); // after a kill -9 we go on at once
        }
        return config;
    }

    @Override
    public void checkUnchanged(Partition partition) throws SourceException {
        topic.checkUnchanged();
    }

    @Override
    public boolean isResumable() {
        return true;
    }

    @Override
    public synchronized Place locate(Partition partition, Position position) {
        return inFlight.at(position)
                .map(stored ->
                        new Place("%s/%d".formatted(name(), stored.partition()), new Position(stored.offset(), 0)))
                .orElseGet(() -> new Place(name(), position));
    }

    @Override
    public synchronized void commit(Position position) {
        if (poller != null) {
            poller.commit(position);
        }
    }

    @Override
    public synchronized Lag lag() {
        return poller == null ? Lag.UNKNOWN : poller.lag();
    }

    @Override
    public synchronized boolean isShared() {
        return shared || (poller != null && poller.isShared());
    }

    /** The topic itself can still be asked. */
    @Override
    public synchronized void close() throws SourceException {
        TopicPoller running = poller;
        shared = isShared();
        poller = null;
        Optional<String> problem = running == null ? Optional.empty() : running.close();
        if (problem.isPresent()) {
            throw new SourceException(
                    Reason.GONE,
                    "%s: the next run reads some records of %s once more, which changes nothing"
                            .formatted(problem.get(), name()),
                    inFlight.next());
        }
    }
}
