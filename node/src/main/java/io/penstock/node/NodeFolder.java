package io.penstock.node;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The files of one node: settings, data, logs and temporary files, each in a folder of its own.
 *
 * <p>The folder itself stays ours, so that the node's account cannot put a link where we write.
 */
record NodeFolder(Path root) {
    private static final String LOG4J = """
            status = error
            appender.file.type = RollingFile
            appender.file.name = file
            appender.file.fileName = @LOGS@/node.log
            appender.file.filePattern = @LOGS@/node-%i.log
            appender.file.layout.type = PatternLayout
            appender.file.layout.pattern = [%d{ISO8601}][%-5p][%c{1}] %m%n
            appender.file.policies.type = Policies
            appender.file.policies.size.type = SizeBasedTriggeringPolicy
            appender.file.policies.size.size = 16MB
            appender.file.strategy.type = DefaultRolloverStrategy
            appender.file.strategy.max = 2
            rootLogger.level = info
            rootLogger.appenderRef.file.ref = file
            """;

    Path config() {
        return root.resolve("config");
    }

    Path data() {
        return root.resolve("data");
    }

    Path logs() {
        return root.resolve("logs");
    }

    Path temporary() {
        return root.resolve("tmp");
    }

    /** What the server logs. */
    Path log() {
        return logs().resolve("node.log");
    }

    /** What the start script and the JVM print; begun anew with every start. */
    Path console() {
        return root.resolve("console.log");
    }

    /** Written by the server with the number of its process; that of its start script may be another. */
    Path pidFile() {
        return temporary().resolve("pid");
    }

    /** The process that the server says it is. */
    Optional<NodeProcess> process() {
        try {
            return NodeProcess.of(Long.parseLong(Files.readString(pidFile()).strip()));
        } catch (IOException | NumberFormatException notYet) {
            return Optional.empty();
        }
    }

    /** Writes all a node needs to start, with these settings, and leaves data and logs as they are. */
    void prepare(Distribution distribution, Path server, Map<String, String> settings, Account account)
            throws IOException {
        NodeHome.delete(config());
        NodeHome.delete(temporary());
        for (Path folder : List.of(config(), temporary(), data(), logs())) {
            Files.createDirectories(folder);
        }
        // Beside the settings the server reads a few files that must be there, even if empty.
        try (Stream<Path> shipped = Files.list(server.resolve("config"))) {
            for (Path file : (Iterable<Path>) shipped.filter(Files::isRegularFile)::iterator) {
                Files.copy(file, config().resolve(file.getFileName().toString()));
            }
        }
        Map<String, String> all = new TreeMap<>(settings);
        all.put("path.data", data().toString());
        all.put("path.logs", logs().toString());
        Files.writeString(config().resolve(distribution.flavour().artifact() + ".yml"), yaml(all));
        Files.writeString(config().resolve("log4j2.properties"), LOG4J.replace("@LOGS@", logs().toString()));
        Path options = config().resolve("jvm.options");
        Files.writeString(options, jvmOptions(Files.readString(options)));
        for (Path folder : List.of(config(), temporary(), data(), logs())) {
            account.own(folder);
        }
    }

    static String yaml(Map<String, String> settings) {
        return settings.entrySet().stream()
                .map(setting -> setting.getKey() + ": \""
                        + setting.getValue().replace("\\", "\\\\").replace("\"", "\\\"") + "\"\n")
                .collect(Collectors.joining());
    }

    /**
     * The shipped options without the garbage collector's log (2 GB) and with absolute paths: the server is read-only.
     */
    String jvmOptions(String shipped) {
        return shipped.lines()
                .filter(line -> !line.contains("-Xlog:gc") && !line.contains("-Xloggc:"))
                .filter(line -> !line.matches("-Xm[sx].*"))
                .map(line -> line.replace("=logs/", "=" + logs() + "/")
                        .replace("HeapDumpPath=data", "HeapDumpPath=" + data()))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    /** All the server wrote about its last start, its own log counted from the byte {@code logFrom}. */
    String written(long logFrom) {
        return NodeLog.since(log(), logFrom) + "\n" + NodeLog.since(console(), 0);
    }

    long logBytes() {
        return log().toFile().length();
    }

    /** The environment of the server: nothing of ours, which may hold secrets, but what a program needs to run. */
    Map<String, String> environment(Distribution distribution, Jdk jdk, String heap) {
        String prefix = distribution.flavour().environment();
        Map<String, String> environment = new TreeMap<>();
        for (String name : List.of("PATH", "LANG", "LC_ALL", "TZ")) {
            String value = System.getenv(name);
            if (value != null) {
                environment.put(name, value);
            }
        }
        environment.put("HOME", temporary().toString());
        environment.put(prefix + "_JAVA_HOME", jdk.home().toString());
        environment.put(prefix + "_PATH_CONF", config().toString());
        environment.put(prefix + "_TMPDIR", temporary().toString());
        // What the server's own start script takes from people it still does, but the heap is said in one place.
        String options = System.getenv().getOrDefault(prefix + "_JAVA_OPTS", "");
        environment.put(prefix + "_JAVA_OPTS", (options + " -Xms" + heap + " -Xmx" + heap).strip());
        return environment;
    }

    /** Empties the console file; also finds out early that we cannot write there. */
    void clearConsole() throws IOException {
        Files.write(console(), "".getBytes(StandardCharsets.UTF_8));
    }
}
