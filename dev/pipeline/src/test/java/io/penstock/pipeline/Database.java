package io.penstock.pipeline;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A real MariaDB in a test's hands, with its binary log on; the system's own, on a port and with data of its own. */
final class Database implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Path folder;
    private final int port;
    private final Thread atExit = new Thread(this::kill, "end-the-database");
    private @Nullable Process server;

    private Database(Path folder, int port) {
        this.folder = folder;
        this.port = port;
    }

    /** Whether this machine has one. */
    static boolean isInstalled() {
        return program("mariadbd").isPresent() && program("mariadb-install-db").isPresent();
    }

    private static Optional<Path> program(String name) {
        return Stream.of("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/usr/libexec")
                .map(place -> Path.of(place, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Starts one without data, with a database {@code catalog} and a user {@code feed}. */
    static Database start(Path folder) throws Exception {
        Files.createDirectories(folder);
        var database = new Database(folder.toAbsolutePath(), freePort());
        Runtime.getRuntime().addShutdownHook(database.atExit);
        database.command(
                "install",
                program("mariadb-install-db").orElseThrow().toString(),
                "--no-defaults",
                "--datadir=" + database.data(),
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--user=" + System.getProperty("user.name"));
        database.restart();
        try (Connection root = database.connect("mysql")) {
            execute(root, "CREATE DATABASE catalog CHARACTER SET utf8mb4");
            execute(root, "CREATE USER feed@'127.0.0.1' IDENTIFIED BY 'feed'");
            execute(
                    root,
                    "GRANT SELECT, RELOAD, REPLICATION SLAVE, REPLICATION CLIENT, BINLOG MONITOR, LOCK TABLES ON *.* TO feed@'127.0.0.1'");
        }
        return database;
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Path data() {
        return folder.resolve("data");
    }

    private void command(String name, String... words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".log").toFile())
                .start();
        if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IllegalStateException(name + ": " + Files.readString(folder.resolve(name + ".log")));
        }
    }

    int port() {
        return port;
    }

    /** Starts it, with its data and its port, and waits until it answers. */
    void restart() throws Exception {
        List<String> words = new ArrayList<>(List.of(
                program("mariadbd").orElseThrow().toString(),
                "--no-defaults",
                "--datadir=" + data(),
                "--socket=" + folder.resolve("socket"),
                "--pid-file=" + folder.resolve("pid"),
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--server-id=1",
                "--log-bin=binlog",
                "--binlog-format=ROW",
                "--skip-name-resolve",
                "--innodb-flush-log-at-trx-commit=1",
                "--sync-binlog=1",
                "--user=" + System.getProperty("user.name")));
        server = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("server.log").toFile()))
                .start();
        long until = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            try {
                connect("mysql").close();
                return;
            } catch (SQLException e) {
                if (System.nanoTime() - until > 0 || !server.isAlive()) {
                    throw new IllegalStateException(Files.readString(folder.resolve("server.log")), e);
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    /** SIGKILL. */
    void kill() {
        Process running = server;
        if (running != null) {
            running.destroyForcibly();
            try {
                running.waitFor();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A connection as root. */
    Connection connect(String schema) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:%d/%s?user=root&sessionVariables=time_zone='+00:00'".formatted(port, schema));
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Removes all of the binary log but an empty file; first from those who still seem to read it. */
    static void purge(Connection root) throws SQLException, InterruptedException {
        execute(root, "FLUSH BINARY LOGS");
        List<String> logs = column(root, "SHOW BINARY LOGS");
        while (logs.size() > 1) {
            for (String id :
                    column(root, "SELECT id FROM information_schema.processlist WHERE command = 'Binlog Dump'")) {
                execute(root, "KILL " + id);
            }
            TimeUnit.MILLISECONDS.sleep(100);
            execute(root, "PURGE BINARY LOGS TO '" + logs.getLast() + "'");
            logs = column(root, "SHOW BINARY LOGS");
        }
    }

    private static List<String> column(Connection connection, String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            while (result.next()) {
                values.add(result.getString(1));
            }
        }
        return values;
    }

    /** Runs a file of statements. */
    static void source(Connection connection, Path file) throws SQLException, IOException {
        for (String statement :
                Files.readString(file).replaceAll("(?m)^--.*$", "").split(";\\s*\\n")) {
            if (!statement.isBlank()) {
                execute(connection, statement);
            }
        }
    }

    static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        }
    }

    @Override
    public void close() {
        kill();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }
}
