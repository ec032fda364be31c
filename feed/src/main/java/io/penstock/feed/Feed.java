package io.penstock.feed;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a topic of finished documents current with a database, for as long as it runs. A change says only which
 * documents it touches; they are read as they are now, and written. So a change that is seen twice, or late, does no
 * harm, and the newest record of an id is the newest document.
 *
 * <p>Several changes of one id that arrive together make one document. The order of each id is kept, as one thread
 * writes them all. {@link #run} is called once; {@link #stop} may come from any thread.
 */
public final class Feed {
    private static final Logger LOGGER = LoggerFactory.getLogger(Feed.class);
    private static final Duration REST_MIN = Duration.ofSeconds(1);
    private static final Duration REST_MAX = Duration.ofSeconds(30);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(10);

    private final FeedConfig config;
    private final Consumer<String> told;
    private final ChangeReader changes;
    private final VisibleRows visible;
    private final DocumentReader reader;
    private final AtomicLong rows = new AtomicLong();
    private final AtomicLong documents = new AtomicLong();
    private final AtomicLong tombstones = new AtomicLong();
    private volatile long behindMillis;
    private volatile boolean snapshot = true;
    private volatile boolean stopped;
    private final AtomicReference<String> trouble = new AtomicReference<>("");
    private final AtomicReference<@Nullable FeedException> refused = new AtomicReference<>();
    private boolean swept;

    /** @param told hears what a person should know; called by several threads */
    public Feed(FeedConfig config, Consumer<String> told) {
        this.config = config;
        this.told = told;
        this.changes = new ChangeReader(config);
        this.visible = new VisibleRows(config.database().name());
        this.reader = new DocumentReader(config.documents().select());
    }

    /**
     * What has been done so far.
     *
     * @param rows changed rows that were read
     * @param documents documents written
     * @param tombstones ids whose document is gone
     * @param snapshot whether it still reads the rows that were there when it first began
     * @param behind from a change in the database to its document in the topic, at the last one
     */
    public record Progress(long rows, long documents, long tombstones, boolean snapshot, Duration behind) {}

    /** As of now. */
    public Progress progress() {
        return new Progress(rows.get(), documents.get(), tombstones.get(), snapshot, Duration.ofMillis(behindMillis));
    }

    /** Ends it: what was read and not written is read again by the next run. */
    public void stop() {
        stopped = true;
        try {
            changes.close();
        } catch (IOException | IllegalStateException e) {
            LOGGER.debug("ending already", e);
        }
    }

    /**
     * Runs until it is stopped.
     *
     * @throws FeedException if it cannot go on by itself
     */
    public void run() throws InterruptedException {
        try (DocumentWriter writer = new DocumentWriter(config.kafka(), told);
                HikariDataSource database = database();
                ExecutorService beside = Executors.newSingleThreadExecutor()) {
            try {
                writer.prepareTopic(() -> stopped);
                beside.execute(() -> watch(database));
                follow(database, writer);
            } finally {
                stopped = true;
                beside.shutdownNow();
            }
        }
        FeedException ending = refused.get();
        if (ending != null) {
            throw ending;
        }
    }

    private void follow(HikariDataSource database, DocumentWriter writer) throws InterruptedException {
        Duration rest = REST_MIN;
        while (!stopped) {
            awaitDatabase(database);
            long before = rows.get();
            swept = false;
            Optional<ChangeReader.Failure> failure = changes.run(some -> take(some, database, writer));
            if (stopped || failure.isEmpty()) {
                return;
            }
            judge(failure.get());
            rest = rows.get() > before ? REST_MIN : rest.multipliedBy(2);
            rest = rest.compareTo(REST_MAX) > 0 ? REST_MAX : rest;
            told.accept("%s; trying again in %d s".formatted(words(failure.get()), rest.toSeconds()));
            sleep(rest);
        }
    }

    /** Debezium's reader of the binary log tries to connect again for ever, and says nothing. */
    private void watch(HikariDataSource database) {
        try {
            while (!stopped) {
                sleep(LOOK_EVERY);
                awaitDatabase(database);
            }
        } catch (FeedException e) {
            refused.set(e);
            stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Debezium 3.5 cannot say what is wrong with a database that refuses us (Kafka Connect 4.3 has renamed a method).
     */
    private void awaitDatabase(HikariDataSource database) throws InterruptedException {
        boolean waited = false;
        while (!stopped) {
            try {
                database.getConnection().close();
                if (waited && !trouble.getAndSet("").isEmpty()) {
                    told.accept("%s answers again".formatted(config.database()));
                }
                return;
            } catch (SQLException e) {
                judge(e);
                waited = true;
            }
        }
    }

    // ---- a change's way -----------------------------------------------------------------------------------------

    private void take(List<SourceRecord> some, HikariDataSource database, DocumentWriter writer)
            throws InterruptedException {
        while (!stopped) {
            try (Connection connection = database.getConnection()) {
                if (!swept && (some.stream().anyMatch(Feed::isOfSnapshot) || isEmpty(connection))) {
                    sweep(connection, writer);
                    swept = true;
                }
                visible.await(some, connection);
                var touched = new TouchedDocuments(config);
                for (SourceRecord change : some) {
                    touched.add(change, connection);
                }
                if (!write(touched.ids(), connection, writer)) {
                    break;
                }
                trouble.set("");
                count(some);
                return;
            } catch (SQLException e) {
                judge(e);
            }
        }
        throw new InterruptedException("stopped"); // so that the changes are not taken for written
    }

    /** A part at a time: one row can be in any number of documents, which need not fit in memory together. */
    private boolean write(Map<String, Object> ids, Connection connection, DocumentWriter writer)
            throws SQLException, InterruptedException {
        var part = new LinkedHashMap<String, Object>();
        for (Iterator<Map.Entry<String, Object>> each = ids.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<String, Object> id = each.next();
            part.put(id.getKey(), id.getValue());
            if (part.size() < DocumentReader.AT_ONCE && each.hasNext()) {
                continue;
            }
            Map<String, byte[]> found = reader.read(part.values(), connection);
            var keys = new LinkedHashSet<>(part.keySet());
            keys.addAll(found.keySet()); // a collation may take texts for equal that are spelled in two ways
            if (!writer.write(found, keys, () -> stopped)) {
                return false;
            }
            documents.addAndGet(found.size());
            tombstones.addAndGet(keys.size() - found.size());
            part.clear();
        }
        return true;
    }

    /** An empty table has no row to begin a snapshot with, and no document either. */
    private boolean isEmpty(Connection connection) throws SQLException {
        String sql = "SELECT 1 FROM `%s` LIMIT 1".formatted(config.documents().table());
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return !row.next();
        }
    }

    private static boolean isOfSnapshot(SourceRecord change) {
        return change.value() instanceof Struct value
                && value.schema().field("op") != null
                && "r".equals(value.getString("op"));
    }

    /**
     * A snapshot knows what is there and not what is gone. Where the topic holds documents already, because an earlier
     * snapshot was cut short or the place in the log was lost, those that are gone get their tombstones first. What is
     * deleted from now on comes with the log, as the snapshot has noted its place in it before it gave us anything.
     */
    private void sweep(Connection connection, DocumentWriter writer) throws SQLException, InterruptedException {
        boolean numbers = idsAreNumbers(connection);
        new TopicKeys(config.kafka())
                .<SQLException>forEach(
                        known -> {
                            List<Object> ids = numbers ? asNumbers(known) : List.copyOf(known);
                            Set<String> gone = new LinkedHashSet<>(known);
                            gone.removeAll(reader.read(ids, connection).keySet());
                            if (!gone.isEmpty() && writer.write(Map.of(), gone, () -> stopped)) {
                                tombstones.addAndGet(gone.size());
                            }
                        },
                        () -> stopped);
    }

    /** Whether ids are numbers in the database: a server does not search an index of numbers for texts. */
    private boolean idsAreNumbers(Connection connection) throws SQLException {
        String sql = "SELECT `%s` FROM `%s` LIMIT 0"
                .formatted(config.documents().id(), config.documents().table());
        try (Statement statement = connection.createStatement();
                ResultSet none = statement.executeQuery(sql)) {
            int type = none.getMetaData().getColumnType(1);
            return type == Types.BIGINT || type == Types.INTEGER || type == Types.SMALLINT;
        }
    }

    private static List<Object> asNumbers(Set<String> ids) {
        List<Object> numbers = new ArrayList<>();
        ids.forEach(id -> numbers.add(id.matches("-?\\d{1,18}") ? (Object) Long.valueOf(id) : id));
        return numbers;
    }

    private void count(List<SourceRecord> some) {
        for (SourceRecord change : some) {
            if (change.value() instanceof Struct value && value.schema().field("source") != null) {
                rows.incrementAndGet();
                snapshot = "r".equals(value.getString("op"));
                Long at = value.getStruct("source").getInt64("ts_ms");
                behindMillis = at == null || snapshot ? 0 : Math.max(0, System.currentTimeMillis() - at);
            }
        }
    }

    // ---- what may go wrong --------------------------------------------------------------------------------------

    /** Waits, if that may help; the SELECT itself is not going to be right another time. */
    private void judge(SQLException failure) throws InterruptedException {
        // The pool's own exception says only that it has waited.
        SQLException e = failure.getCause() instanceof SQLException cause ? cause : failure;
        String state = String.valueOf(e.getSQLState());
        if (state.startsWith("28") || e.getErrorCode() == 1045 || e.getErrorCode() == 1044) {
            throw new FeedException(
                    FeedException.Reason.DATABASE,
                    "%s refuses the user %s: check database.user and database.password"
                            .formatted(config.database(), config.database().user()),
                    e);
        }
        if (e.getErrorCode() == 1049) {
            throw new FeedException(
                    FeedException.Reason.DATABASE,
                    "there is no database %s at %s:%d: check database.name"
                            .formatted(
                                    config.database().name(),
                                    config.database().host(),
                                    config.database().port()),
                    e);
        }
        if (state.startsWith("42") || state.startsWith("22") || state.startsWith("21")) {
            throw new FeedException(
                    FeedException.Reason.DATABASE,
                    "a SELECT of the configuration fails (%s): change it; the same command goes on where it stopped"
                            .formatted(e.getMessage()),
                    e);
        }
        say("waiting for %s: %s".formatted(config.database(), words(e)));
        sleep(REST_MIN);
    }

    private void judge(ChangeReader.Failure failure) {
        for (Throwable each = failure.cause().orElse(null); each != null; each = each.getCause()) {
            if (each instanceof FeedException own) {
                throw own;
            }
        }
        String words = words(failure);
        boolean purged =
                words.contains("no longer available on the server") // Debezium, where it can look before it asks
                        || words.contains("have been purged") // MariaDB and MySQL, error 1236
                        || words.contains("Could not find GTID state");
        if (purged) {
            throw new FeedException(
                    FeedException.Reason.DATABASE,
                    "the binary log of %s was purged past where this feed is: a new snapshot is needed; delete the topic %s-feed-offsets and start again"
                            .formatted(config.database(), config.kafka().topic()),
                    failure.cause().orElse(null));
        }
        if (words.contains("history topic")
                || words.contains("schema history")
                || words.contains("schema isn't known")) {
            throw new FeedException(
                    FeedException.Reason.STATE,
                    "the schema history in the topic %1$s-feed-schema is lost or damaged: delete it and the topic %1$s-feed-offsets and start again, which takes a new snapshot (%2$s)"
                            .formatted(config.kafka().topic(), words),
                    failure.cause().orElse(null));
        }
        if (words.contains("Access denied")) {
            throw new FeedException(
                    FeedException.Reason.DATABASE,
                    "%s refuses the user %s: it needs SELECT, RELOAD, REPLICATION SLAVE, REPLICATION CLIENT (%s)"
                            .formatted(config.database(), config.database().user(), words),
                    failure.cause().orElse(null));
        }
    }

    private static String words(ChangeReader.Failure failure) {
        return failure.cause().map(Feed::words).orElse(failure.message());
    }

    /** The innermost message says what happened; those around it, that something did. */
    private static String words(Throwable failure) {
        String words = String.valueOf(failure.getMessage());
        for (Throwable each = failure.getCause(); each != null; each = each.getCause()) {
            if (each.getMessage() != null) {
                words = each.getMessage();
            }
        }
        return words;
    }

    private void say(String what) {
        if (!stopped && !what.equals(trouble.getAndSet(what))) {
            told.accept(what);
        }
    }

    private void sleep(Duration time) throws InterruptedException {
        long until = System.nanoTime() + time.toNanos();
        while (!stopped && System.nanoTime() - until < 0) {
            Thread.sleep(100);
        }
    }

    private HikariDataSource database() {
        FeedConfig.Database database = config.database();
        var pool = new HikariConfig();
        pool.setJdbcUrl("jdbc:mariadb://%s:%d/%s".formatted(database.host(), database.port(), database.name()));
        pool.setUsername(database.user());
        pool.setPassword(database.password());
        pool.setMaximumPoolSize(2);
        pool.setMinimumIdle(0);
        pool.setInitializationFailTimeout(-1); // a database that is down is waited for
        pool.setConnectionTimeout(Duration.ofSeconds(10).toMillis());
        // Times of columns that know no zone stay as they are, those that do are in UTC.
        pool.setConnectionInitSql("SET SESSION time_zone='+00:00', innodb_lock_wait_timeout=2");
        return new HikariDataSource(pool);
    }
}
