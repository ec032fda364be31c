package io.penstock.feed;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Writes documents to the topic by their ids, in order, and tombstones for those that are gone. */
final class DocumentWriter implements AutoCloseable {
    private static final Duration REST = Duration.ofSeconds(2);

    /** As long as brokers know by default how far a group has read: whoever is away for less misses no delete. */
    private static final String TOMBSTONES_MILLIS =
            Long.toString(Duration.ofDays(7).toMillis());

    private final FeedConfig.Kafka kafka;
    private final Consumer<String> told;
    private KafkaProducer<byte[], byte[]> producer;

    DocumentWriter(FeedConfig.Kafka kafka, Consumer<String> told) {
        this.kafka = kafka;
        this.told = told;
        this.producer = producer(kafka);
    }

    private static KafkaProducer<byte[], byte[]> producer(FeedConfig.Kafka kafka) {
        var config = new HashMap<String, Object>();
        config.put("linger.ms", 20);
        config.put("batch.size", 256 << 10);
        config.put("buffer.memory", 32 << 20);
        config.put("compression.type", "zstd");
        config.put("max.request.size", 16 << 20);
        config.put("request.timeout.ms", 10_000);
        config.put("delivery.timeout.ms", 30_000);
        config.putAll(kafka.config());
        config.put("bootstrap.servers", kafka.brokers());
        config.put("acks", "all");
        // So a resend inside the producer makes no second record, nor another order.
        config.put("enable.idempotence", true);
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Makes the topic if it is missing, and says so if an existing one would forget documents. */
    void prepareTopic(BooleanSupplier stopped) throws InterruptedException {
        var config = new HashMap<String, Object>(kafka.config());
        config.put("bootstrap.servers", kafka.brokers());
        try (Admin admin = Admin.create(config)) {
            while (!stopped.getAsBoolean()) {
                try {
                    prepare(admin);
                    return;
                } catch (ExecutionException e) {
                    wait(e.getCause());
                }
            }
        }
    }

    private void prepare(Admin admin) throws ExecutionException, InterruptedException {
        try {
            var topic = new NewTopic(kafka.topic(), kafka.partitions(), (short) kafka.replication())
                    .configs(Map.of("cleanup.policy", "compact", "delete.retention.ms", TOMBSTONES_MILLIS));
            admin.createTopics(List.of(topic)).all().get();
            told.accept("made the compacted topic %s with %d partitions".formatted(kafka.topic(), kafka.partitions()));
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
            var resource = new ConfigResource(ConfigResource.Type.TOPIC, kafka.topic());
            Config found = admin.describeConfigs(List.of(resource)).all().get().get(resource);
            String policy = found == null ? "" : found.get("cleanup.policy").value();
            if (!policy.equals("compact")) {
                told.accept(
                        "warning: the topic %s has cleanup.policy=%s: old documents go away, and an index rebuilt from it lacks them; set it to compact"
                                .formatted(kafka.topic(), policy));
            }
        }
    }

    /** Says what is wrong, and waits before the next try; throws if trying again would not help. */
    private void wait(@Nullable Throwable cause) throws InterruptedException {
        if (cause instanceof AuthenticationException || cause instanceof AuthorizationException) {
            throw new FeedException(
                    FeedException.Reason.BROKERS,
                    "%s refuses us: %s; check kafka.config".formatted(kafka.brokers(), cause.getMessage()),
                    cause);
        }
        if (cause instanceof RecordTooLargeException) {
            throw new FeedException(
                    FeedException.Reason.BROKERS,
                    "a document is larger than the topic %s takes (%s): raise max.message.bytes of the topic, and max.request.size in kafka.config"
                            .formatted(kafka.topic(), cause.getMessage()),
                    cause);
        }
        told.accept("waiting for Kafka at %s: %s"
                .formatted(kafka.brokers(), cause == null ? "no answer" : cause.getMessage()));
        Thread.sleep(REST);
    }

    /**
     * Writes all of them, and returns when they are safe in Kafka.
     *
     * @param documents by id; null for one that is gone
     * @return false if the feed is stopped before that
     */
    boolean write(Map<String, byte[]> documents, Iterable<String> ids, BooleanSupplier stopped)
            throws InterruptedException {
        while (!stopped.getAsBoolean()) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (String id : ids) {
                sent.add(producer.send(
                        new ProducerRecord<>(kafka.topic(), id.getBytes(StandardCharsets.UTF_8), documents.get(id))));
            }
            producer.flush();
            try {
                for (Future<RecordMetadata> each : sent) {
                    each.get();
                }
                return true;
            } catch (ExecutionException e) {
                // Then all of them again, in order: what is there twice is the same document. With a new producer: an
                // idempotent one may not recover from a broker that forgot it.
                wait(e.getCause());
                producer.close(Duration.ZERO);
                producer = producer(kafka);
            }
        }
        return false;
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
    }
}
