package io.penstock.feed;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The ids of the documents that the topic holds, read from its beginning to its end. */
final class TopicKeys {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final int AT_ONCE = 1_000;

    private final FeedConfig.Kafka kafka;

    TopicKeys(FeedConfig.Kafka kafka) {
        this.kafka = kafka;
    }

    /** Takes some ids; one may come more than once. */
    interface Taker<E extends Exception> {
        void take(Set<String> ids) throws E, InterruptedException;
    }

    <E extends Exception> void forEach(Taker<E> taker, BooleanSupplier stopped) throws E, InterruptedException {
        var config = new HashMap<String, Object>(kafka.config());
        config.put("bootstrap.servers", kafka.brokers());
        config.put("max.poll.records", 5_000);
        config.put("fetch.max.bytes", 8 << 20);
        config.put("max.partition.fetch.bytes", 2 << 20);
        Set<String> ids = new LinkedHashSet<>();
        try (var consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(kafka.topic()).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (!stopped.getAsBoolean()
                    && partitions.stream().anyMatch(each -> consumer.position(each) < ends.getOrDefault(each, 0L))) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    if (record.key() != null && record.value() != null) {
                        ids.add(new String(record.key(), StandardCharsets.UTF_8));
                    }
                    if (ids.size() >= AT_ONCE) {
                        taker.take(ids);
                        ids.clear();
                    }
                }
            }
        }
        if (!ids.isEmpty()) {
            taker.take(ids);
        }
    }
}
