package io.penstock.pipeline;

import io.penstock.node.LocalBroker;
import io.penstock.realservers.RealCluster;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/** A real Kafka broker in a test's hands. */
final class Broker implements AutoCloseable {
    /** Kept, or the level would go with it. */
    private static final Logger QUIET = Logger.getLogger("org.apache.kafka");

    static {
        QUIET.setLevel(Level.OFF); // a killed broker makes the clients say so ten times a second
    }

    private final LocalBroker broker;
    private final Map<String, String> settings;
    private final Map<String, Object> clients;
    private final Thread atExit;
    private final String address;
    private final Admin admin;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Queue<Future<RecordMetadata>> sent = new ConcurrentLinkedQueue<>();

    private Broker(LocalBroker broker, Map<String, String> settings, Map<String, Object> clients) {
        this.broker = broker;
        this.settings = settings;
        this.clients = clients;
        this.atExit = new Thread(broker::delete, "end-the-broker");
        this.address = broker.start(settings, ignored -> {});
        Runtime.getRuntime().addShutdownHook(atExit);
        this.admin = Admin.create(config(Map.of()));
        // One request at a time keeps the order; an idempotent producer does not always outlive a kill of its broker.
        this.producer = producer(Map.of("enable.idempotence", false, "max.in.flight.requests.per.connection", 1));
    }

    /** Starts one without data. */
    static Broker start(String name) {
        return start(name, Map.of(), Map.of());
    }

    /**
     * Starts one without data.
     *
     * @param settings more of the broker's
     * @param clients properties that its clients need
     */
    static Broker start(String name, Map<String, String> settings, Map<String, Object> clients) {
        LocalBroker broker =
                LocalBroker.at(RealCluster.STATE.resolve(name), Path.of("..", "..", "kafka-broker", "target", "libs"));
        broker.delete();
        var all = new HashMap<>(settings);
        all.put("log.cleaner.enable", "false");
        return new Broker(broker, all, clients);
    }

    String address() {
        return address;
    }

    String url(String topic) {
        return "kafka://" + address + "/" + topic;
    }

    /** SIGKILL. */
    void kill() {
        broker.kill();
    }

    /** Starts it again, with its data and its address. */
    void restart() {
        String again = broker.start(settings, ignored -> {});
        if (!again.equals(address)) {
            throw new IllegalStateException("the broker has moved from " + address + " to " + again);
        }
    }

    void create(String topic, int partitions) throws ExecutionException, InterruptedException {
        admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                .all()
                .get();
    }

    boolean has(String topic) throws ExecutionException, InterruptedException {
        return admin.listTopics().names().get().contains(topic);
    }

    void delete(String topic) throws ExecutionException, InterruptedException {
        admin.deleteTopics(List.of(topic)).all().get();
    }

    /** Removes records, as retention does. */
    void deleteRecordsBefore(String topic, int partition, long offset) throws ExecutionException, InterruptedException {
        admin.deleteRecords(Map.of(new TopicPartition(topic, partition), RecordsToDelete.beforeOffset(offset)))
                .all()
                .get();
    }

    KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
        Map<String, Object> config = config(more);
        config.put("linger.ms", 5);
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private Map<String, Object> config(Map<String, Object> more) {
        var config = new HashMap<>(clients);
        config.putAll(more);
        config.put("bootstrap.servers", address);
        return config;
    }

    /** Sends a record, or with null for the value a tombstone; it is there after {@link #flush}. */
    void send(String topic, @Nullable String key, @Nullable String value) {
        sent.add(producer.send(record(topic, key, value)));
    }

    void flush() throws ExecutionException, InterruptedException {
        producer.flush();
        for (Future<RecordMetadata> each = sent.poll(); each != null; each = sent.poll()) {
            each.get();
        }
    }

    static ProducerRecord<byte[], byte[]> record(String topic, @Nullable String key, @Nullable String value) {
        return new ProducerRecord<>(topic, key == null ? null : utf8(key), value == null ? null : utf8(value));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** How many records were written to a topic. */
    long records(String topic) {
        Map<String, Object> config = Map.of("bootstrap.servers", address);
        try (var consumer = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            return consumer.endOffsets(partitions).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
        }
    }

    /** The newest value of each key that has one, read from the topic itself. */
    Map<String, String> latest(String topic) {
        var latest = new TreeMap<String, String>();
        Map<String, Object> config = Map.of("bootstrap.servers", address, "isolation.level", "read_committed");
        try (var consumer = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.getOrDefault(each, 0L))) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> {
                    if (record.value() == null) {
                        latest.remove(record.key());
                    } else {
                        latest.put(record.key(), record.value());
                    }
                });
            }
        }
        return latest;
    }

    /** How far the only group has committed, over all partitions; nothing if there is no such group. */
    Optional<Long> committed() throws ExecutionException, InterruptedException {
        var groups = admin.listGroups().all().get();
        if (groups.isEmpty()) {
            return Optional.empty();
        }
        String group = groups.iterator().next().groupId();
        return Optional.of(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().values().stream()
                .mapToLong(each -> each.offset())
                .sum());
    }

    /** Who the only group takes for its members. */
    Set<String> members() throws ExecutionException, InterruptedException {
        List<String> groups = admin.listGroups().all().get().stream()
                .map(GroupListing::groupId)
                .toList();
        return admin.describeConsumerGroups(groups).all().get().values().stream()
                .flatMap(group -> group.members().stream())
                .map(MemberDescription::consumerId)
                .collect(Collectors.toSet());
    }

    @Override
    public void close() {
        producer.close(Duration.ZERO);
        admin.close(Duration.ZERO);
        broker.delete();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }
}
