package io.penstock.feed;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/**
 * Debezium's engine: the rows of the documents' table first, then the binary log from there on. Where it is, and how
 * the tables looked at that point, is kept in two topics beside the documents, so that another machine can go on.
 */
final class ChangeReader implements AutoCloseable {
    private final FeedConfig config;
    private final AtomicReference<@Nullable DebeziumEngine<?>> running = new AtomicReference<>();

    ChangeReader(FeedConfig config) {
        this.config = config;
    }

    /** Takes changes, some at a time, in the order of the database. */
    interface Taker {
        /** Returns when documents are written for all of them; only then are they not read again. */
        void take(List<SourceRecord> changes) throws InterruptedException;
    }

    /** How a run ended that nobody asked to end. */
    record Failure(String message, Optional<Throwable> cause) {}

    /** Reads until it is closed or something is in the way; nothing if it was closed. */
    Optional<Failure> run(Taker taker) {
        AtomicReference<@Nullable Failure> ending = new AtomicReference<>();
        DebeziumEngine<RecordChangeEvent<SourceRecord>> engine = DebeziumEngine.create(
                        ChangeEventFormat.of(Connect.class))
                .using(properties())
                .notifying((events, committer) -> {
                    taker.take(events.stream().map(RecordChangeEvent::record).toList());
                    for (RecordChangeEvent<SourceRecord> event : events) {
                        committer.markProcessed(event);
                    }
                    committer.markBatchFinished();
                })
                .using((success, message, error) -> {
                    if (!success) {
                        ending.set(new Failure(String.valueOf(message), Optional.ofNullable(error)));
                    }
                })
                .build();
        running.set(engine);
        engine.run();
        return Optional.ofNullable(ending.get());
    }

    /** Ends the run that is under way. */
    @Override
    public void close() throws IOException {
        DebeziumEngine<?> engine = running.getAndSet(null);
        if (engine != null) {
            engine.close();
        }
    }

    private Properties properties() {
        FeedConfig.Database database = config.database();
        FeedConfig.Kafka kafka = config.kafka();
        var properties = new Properties();
        kafka.config().forEach((name, value) -> {
            properties.setProperty(name, value);
            properties.setProperty("schema.history.internal.producer." + name, value);
            properties.setProperty("schema.history.internal.consumer." + name, value);
        });
        properties.setProperty("name", kafka.topic());
        properties.setProperty(
                "connector.class",
                database.kind().equals("mysql")
                        ? "io.debezium.connector.mysql.MySqlConnector"
                        : "io.debezium.connector.mariadb.MariaDbConnector");
        properties.setProperty("topic.prefix", kafka.topic());
        properties.setProperty("bootstrap.servers", kafka.brokers());
        properties.setProperty("offset.storage", "org.apache.kafka.connect.storage.KafkaOffsetBackingStore");
        properties.setProperty("offset.storage.topic", kafka.topic() + "-feed-offsets");
        properties.setProperty("offset.storage.partitions", "1");
        properties.setProperty("offset.storage.replication.factor", Integer.toString(kafka.replication()));
        properties.setProperty("offset.flush.interval.ms", "1000");
        properties.setProperty("schema.history.internal", "io.debezium.storage.kafka.history.KafkaSchemaHistory");
        properties.setProperty("schema.history.internal.kafka.topic", kafka.topic() + "-feed-schema");
        properties.setProperty("schema.history.internal.kafka.bootstrap.servers", kafka.brokers());
        // Not only of the tables that the snapshot reads: the others come with the binary log.
        properties.setProperty("schema.history.internal.store.only.captured.tables.ddl", "false");
        properties.setProperty("schema.history.internal.store.only.captured.databases.ddl", "true");
        properties.setProperty("database.hostname", database.host());
        properties.setProperty("database.port", Integer.toString(database.port()));
        properties.setProperty("database.user", database.user());
        properties.setProperty("database.password", database.password());
        properties.setProperty("database.server.id", Long.toString(database.serverId()));
        properties.setProperty("database.include.list", database.name());
        properties.setProperty(
                "table.include.list",
                config.tables().stream()
                        .map(table -> database.name() + "\\." + table.replace("$", "\\$"))
                        .collect(Collectors.joining(",")));
        // Rows of other tables are read with the documents that they are part of.
        properties.setProperty(
                "snapshot.include.collection.list",
                database.name() + "\\." + config.documents().table().replace("$", "\\$"));
        properties.setProperty("snapshot.mode", "initial");
        properties.setProperty("include.schema.changes", "false");
        properties.setProperty("tombstones.on.delete", "false");
        // Without heartbeats the position would stay behind while only other tables change, until its log is gone.
        properties.setProperty("heartbeat.interval.ms", "10000");
        properties.setProperty(
                "connect.keep.alive.interval.ms", "3000"); // how soon a database that came back is noticed
        properties.setProperty("max.batch.size", "4096");
        properties.setProperty("max.queue.size", "8192");
        properties.setProperty("max.queue.size.in.bytes", Integer.toString(32 << 20));
        properties.setProperty("poll.interval.ms", "20");
        properties.setProperty("errors.max.retries", "0"); // the feed itself tries again, and says so
        return properties;
    }
}
