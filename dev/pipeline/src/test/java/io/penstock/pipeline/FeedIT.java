package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import io.penstock.testkit.seeds.Seeds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows 114 to 118: from a real database through a real broker into a real index. */
@RealNode(own = true)
class FeedIT {
    private static final Path EXAMPLE = Path.of("..", "..", "examples", "catalog");
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static Broker broker;

    @TempDir
    static Path databaseFolder;

    private static Database database;

    @TempDir
    Path folder;

    private final Seeds seeds = new Seeds(Long.getLong("seed", System.nanoTime()));
    private final String topic = "catalog-" + UUID.randomUUID();
    private final String index = topic;
    private RealCluster node;
    private Program feeding;
    private Program shipping;
    private Path config;

    @BeforeAll
    static void start() throws Exception {
        if (System.getenv("CI") == null) {
            assumeThat(Database.isInstalled())
                    .as("mariadb-server is not installed")
                    .isTrue();
        }
        assertThat(Database.isInstalled())
                .as("mariadb-server is not installed, and in CI it has to be")
                .isTrue();
        broker = Broker.start("feeds");
        database = Database.start(databaseFolder.resolve("mariadb"));
    }

    @AfterAll
    static void end() {
        if (database != null) {
            database.close();
        }
        if (broker != null) {
            broker.close();
        }
    }

    @BeforeEach
    void begin(RealCluster cluster) throws Exception {
        System.out.println("seed " + seeds.seed());
        node = cluster;
        feeding = new Program(Files.createDirectory(folder.resolve("feed")));
        shipping = new Program(Files.createDirectory(folder.resolve("load")));
        try (Connection root = database.connect("mysql")) {
            Database.execute(root, "DROP DATABASE IF EXISTS catalog");
            Database.execute(root, "CREATE DATABASE catalog CHARACTER SET utf8mb4");
            Database.execute(root, "RESET MASTER");
        }
        config = folder.resolve("catalog.yaml");
        Files.writeString(
                config,
                Files.readString(EXAMPLE.resolve("catalog.yaml"))
                        .replace("port: 3306", "port: " + database.port())
                        .replace("127.0.0.1:9092", broker.address())
                        .replace("topic: catalog", "topic: " + topic));
    }

    @AfterEach
    void endPrograms() {
        feeding.close();
        shipping.close();
        node.call("DELETE", "/" + index, "");
    }

    @Test
    void theIndexEqualsTheDatabaseAfterKillsAndRestartsOfEverything() throws Exception {
        fill(200_000);
        Program.Running feed = feed();
        Thread.sleep(seeds.longBetween(3_000, 8_000));
        feed.kill(); // in its snapshot
        feed = feed();
        Program.Running load = load();
        await().atMost(PATIENCE).until(() -> counted() > seeds.intBetween(10_000, 100_000));
        load.kill();
        load = load();
        Thread changes = Thread.ofPlatform().start(() -> change(5_000));
        Thread.sleep(seeds.longBetween(500, 4_000));
        feed.kill(); // in its changes
        feed = feed();
        broker.kill();
        broker.restart();
        Thread.sleep(seeds.longBetween(500, 4_000));
        load.kill();
        Program.Running last = load();
        await().atMost(PATIENCE)
                .until(() -> last.said().contains("acknowledged")); // one that is down from the start is no outage
        load = last;
        node.kill(0);
        node.restart(0);
        changes.join();
        assertThat(feed.isAlive()).as(feed.said()).isTrue();
        assertThat(load.isAlive()).as(load.said()).isTrue();
        indexEqualsDatabase();
        feed.signal("INT");
        load.signal("INT");
        assertThat(feed.end().exit()).isEqualTo(130);
        assertThat(load.end().exit()).isEqualTo(130);
    }

    /** Row 114. */
    @Test
    @Tag("torture")
    void aDatabaseThatIsKilledIsWaitedFor() throws Exception {
        fill(2_000);
        Program.Running feed = feed();
        load();
        await().atMost(PATIENCE).until(() -> counted() == 2_000);
        change(100);
        database.kill();
        await().atMost(PATIENCE)
                .until(() -> feed.said().contains("trying again") || feed.said().contains("waiting for"));
        database.restart();
        change(100);
        indexEqualsDatabase();
        assertThat(feed.isAlive()).isTrue();
    }

    /** Row 115. */
    @Test
    @Tag("torture")
    void aBinaryLogThatWasPurgedIsNotPassedOver() throws Exception {
        fill(500);
        Program.Running feed = feed();
        load();
        await().atMost(PATIENCE).until(() -> counted() == 500);
        change(50);
        indexEqualsDatabase();
        feed.signal("TERM");
        assertThat(feed.end().exit()).isEqualTo(143);
        change(50); // deletes too, which no log tells of any more
        try (Connection root = database.connect("catalog")) {
            Database.purge(root);
        }
        Program.Ended ended = feed().end();
        assertThat(ended.exit()).as(ended.err()).isEqualTo(5);
        assertThat(ended.err()).contains("was purged past where this feed is");
        broker.delete(topic + "-feed-offsets");
        feed();
        indexEqualsDatabase();
    }

    /** Row 117. */
    @Test
    @Tag("torture")
    void aChangedTableIsFollowedOrStopsTheFeedWithTheReason() throws Exception {
        fill(500);
        Program.Running feed = feed();
        load();
        await().atMost(PATIENCE).until(() -> counted() == 500);
        try (Connection connection = database.connect("catalog")) {
            Database.execute(connection, "ALTER TABLE tracks ADD COLUMN mood VARCHAR(20) FIRST");
            Database.execute(connection, "UPDATE tracks SET plays = 77, mood = 'calm' WHERE id = 5");
        }
        await().atMost(PATIENCE)
                .until(() ->
                        node.get("/" + index + "/_doc/5").at("/_source/plays").asInt() == 77);
        try (Connection connection = database.connect("catalog")) {
            Database.execute(connection, "ALTER TABLE tracks DROP COLUMN mood");
            Database.execute(connection, "ALTER TABLE tracks CHANGE seconds length INT NOT NULL");
            Database.execute(connection, "UPDATE tracks SET plays = 78 WHERE id = 5");
        }
        Program.Ended ended = feed.end();
        assertThat(ended.exit()).as(ended.err()).isEqualTo(5);
        assertThat(ended.err()).contains("seconds").contains("the same command goes on where it stopped");
        Files.writeString(config, Files.readString(config).replace("tracks.seconds", "tracks.length AS seconds"));
        feed();
        await().atMost(PATIENCE)
                .until(() ->
                        node.get("/" + index + "/_doc/5").at("/_source/plays").asInt() == 78);
    }

    /** Row 118. */
    @Test
    @Tag("torture")
    void aLostSchemaHistoryStopsTheFeed() throws Exception {
        fill(100);
        Program.Running feed = feed();
        load();
        await().atMost(PATIENCE).until(() -> counted() == 100);
        change(20);
        indexEqualsDatabase();
        feed.signal("TERM");
        feed.end();
        broker.delete(topic + "-feed-schema");
        Program.Ended ended = feed().end();
        assertThat(ended.exit()).as(ended.err()).isEqualTo(8);
        assertThat(ended.err()).contains("schema history").doesNotContain("\tat ");
    }

    @Test
    @Tag("torture")
    void whatIsWrongWithTheFileIsSaidWithItsLine() throws Exception {
        Files.writeString(config, Files.readString(config).replace("  id: id", "  key: id"));
        Program.Ended ended = feed().end();
        assertThat(ended.exit()).isEqualTo(2);
        assertThat(ended.err()).containsPattern("catalog.yaml, line \\d+: there is no key documents.key");
    }

    @Test
    @Tag("torture")
    void aUserWhomTheDatabaseRefusesEndsTheFeedWithASentence() throws Exception {
        fill(100);
        Program.Running feed = feed();
        load();
        await().atMost(PATIENCE).until(() -> counted() == 100);
        try (Connection root = database.connect("mysql")) {
            Database.execute(root, "ALTER USER feed@'127.0.0.1' IDENTIFIED BY 'another'");
        }
        database.kill();
        database.restart();
        try {
            for (Program.Ended ended : List.of(feed.end(), feed().end())) {
                assertThat(ended.exit()).as(ended.err()).isEqualTo(5);
                assertThat(ended.err())
                        .contains("refuses the user feed: check database.user and database.password")
                        .doesNotContain("\tat ");
            }
        } finally {
            try (Connection root = database.connect("mysql")) {
                Database.execute(root, "ALTER USER feed@'127.0.0.1' IDENTIFIED BY 'feed'");
            }
        }
    }

    // ---- what is used above -------------------------------------------------------------------------------------

    private Program.Running feed() {
        return feeding.start("feed", "--config", config.toString());
    }

    /** As soon as there is a topic; the feed makes it. */
    private Program.Running load() {
        await().atMost(PATIENCE).until(() -> broker.has(topic));
        return shipping.start(
                "load",
                broker.url(topic),
                "-i",
                index,
                "-t",
                node.url().toString(),
                "--no-sniff",
                "--follow",
                "--progress",
                "json",
                "--replicas",
                "0",
                "--mapping",
                EXAMPLE.resolve("mapping.json").toString());
    }

    private static void fill(int tracks) throws Exception {
        try (Connection connection = database.connect("catalog")) {
            Database.source(connection, EXAMPLE.resolve("schema.sql"));
            Database.execute(connection, "SET @tracks = " + tracks);
            Database.source(connection, EXAMPLE.resolve("seed.sql"));
        }
    }

    private long counted() {
        RealCluster.Answer answer = node.call("GET", "/" + index + "/_count", "");
        return answer.status() == 200 ? answer.json().path("count").asLong() : 0;
    }

    /** Inserts, updates, deletes, and changes of side tables, in transactions of a few. */
    private synchronized void change(int changes) {
        try (Connection connection = database.connect("catalog")) {
            connection.setAutoCommit(false);
            long last = Database.number(connection, "SELECT MAX(id) FROM tracks");
            long users = Database.number(connection, "SELECT MAX(id) FROM users");
            for (int n = 0; n < changes; n++) {
                long track = 1 + seeds.longBetween(0, last);
                long user = 1 + seeds.longBetween(0, users);
                Database.execute(
                        connection,
                        switch (seeds.intBetween(0, 8)) {
                            case 0 -> "DELETE FROM tracks WHERE id = " + track;
                            case 1 ->
                                "INSERT INTO tracks (id, user_id, title, seconds) VALUES (%d, %d, 'new %d', 5)"
                                        .formatted(++last, user, n);
                            case 2 -> "UPDATE users SET name = 'renamed %d' WHERE id = %d".formatted(n, user);
                            case 3 -> "REPLACE INTO track_tags VALUES (%d, 'late')".formatted(track);
                            case 4 -> "DELETE FROM track_tags WHERE track_id = " + track;
                            case 5 -> "INSERT IGNORE INTO playlist_tracks VALUES (1, %d)".formatted(track);
                            default ->
                                "UPDATE tracks SET plays = plays + 1, title = 'changed %d' WHERE id = %d"
                                        .formatted(n, track);
                        });
                if (seeds.chance(0.4)) {
                    connection.commit();
                }
            }
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void indexEqualsDatabase() throws Exception {
        Map<String, String> expected = new TreeMap<>();
        try (Connection connection = database.connect("catalog");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("""
                        SELECT t.id, t.title, t.plays, t.public, DATE_FORMAT(t.created_at, '%Y-%m-%dT%H:%i:%s') at, u.name,
                            (SELECT GROUP_CONCAT(tag ORDER BY tag) FROM track_tags WHERE track_id = t.id) tags,
                            (SELECT COUNT(*) FROM playlist_tracks WHERE track_id = t.id) playlists
                        FROM tracks t JOIN users u ON u.id = t.user_id""")) {
            while (row.next()) {
                expected.put(
                        row.getString(1),
                        String.join(
                                "|",
                                row.getString("title"),
                                row.getString("plays"),
                                String.valueOf(row.getBoolean("public")),
                                row.getString("at"),
                                row.getString("name"),
                                String.valueOf(row.getString("tags")),
                                row.getString("playlists")));
            }
        }
        // To compare all of them takes seconds: not before they can be there.
        await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(1)).until(() -> counted() == expected.size());
        await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(3)).untilAsserted(() -> {
            assertThat(node.count(index)).isEqualTo(expected.size());
            Map<String, String> held = held();
            held.entrySet().removeIf(each -> each.getValue().equals(expected.get(each.getKey())));
            assertThat(held).as("differ from the database").isEmpty();
        });
    }

    private Map<String, String> held() {
        Map<String, String> held = new TreeMap<>();
        for (JsonNode hit : node.scan(index)) {
            JsonNode source = hit.path("_source");
            StringBuilder tags = new StringBuilder();
            source.path("tags")
                    .forEach(tag -> tags.append(tags.isEmpty() ? "" : ",").append(tag.asText()));
            held.put(
                    hit.path("_id").asText(),
                    String.join(
                            "|",
                            source.path("title").asText(),
                            source.path("plays").asText(),
                            source.path("public").asText(),
                            source.path("created_at").asText().substring(0, 19),
                            source.path("user.name").asText(),
                            tags.isEmpty() ? "null" : tags.toString(),
                            String.valueOf(source.path("playlists").size())));
        }
        return held;
    }
}
