package io.penstock.node;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * One Kafka broker on this machine, its own controller, bound to the loopback address, without passwords: for a first
 * try and for tests, not for data that anybody needs. It lives on when the process that started it ends.
 *
 * <p>Any thread may call; changes are made one after the other, also by different processes. Every method throws
 * {@link NodeException} when it cannot do what it says.
 */
@SuppressWarnings("try") // A lock is held, not used.
public final class LocalBroker {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final Duration FORMAT_LIMIT = Duration.ofSeconds(60);

    private final Path folder;
    private final Path libraries;

    private LocalBroker(Path folder, Path libraries) {
        this.folder = folder;
        this.libraries = libraries;
    }

    /**
     * The broker with its state below this folder. Nothing is touched yet.
     *
     * @param libraries folder with the jars of {@code org.apache.kafka:kafka_2.13} and what they need
     */
    public static LocalBroker at(Path stateDirectory, Path libraries) {
        return new LocalBroker(
                stateDirectory.toAbsolutePath().normalize().resolve("kafka"), libraries.toAbsolutePath());
    }

    /** Where it was last, and which process it is. */
    private record Recorded(int port, int controllerPort, NodeProcess process) {
        static final Recorded NONE = new Recorded(0, 0, NodeProcess.NONE);
    }

    /** HOST:PORT while it runs. */
    public Optional<String> address() {
        Recorded recorded = read();
        return recorded.process().running() ? Optional.of(address(recorded)) : Optional.empty();
    }

    private static String address(Recorded recorded) {
        return "127.0.0.1:" + recorded.port();
    }

    /**
     * Starts it unless it runs, with the ports and the data it had, and returns when it takes connections.
     *
     * @param settings further settings of the broker, such as {@code log.segment.bytes}
     * @return HOST:PORT
     */
    public String start(Map<String, String> settings, Consumer<String> progress) {
        try (FolderLock lock = lock()) {
            Recorded before = read();
            if (before.process().running()) {
                return address(before);
            }
            if (!Files.isDirectory(libraries)) {
                throw new NodeException(
                        NodeException.Reason.ENVIRONMENT,
                        "The Kafka broker is not built (" + libraries
                                + "): start it with ./penstock node start --with-kafka.");
            }
            Recorded chosen = ports(before);
            Path config = configured(chosen, settings);
            if (!Files.exists(data().resolve("meta.properties"))) {
                format(config);
            }
            progress.accept("Starting Kafka at " + address(chosen));
            Recorded started = launched(chosen, config);
            write(started);
            await(started);
            return address(started);
        } catch (IOException failed) {
            throw NodeException.files(folder, failed);
        }
    }

    /** Ends it, first politely, and keeps its data. False if it was not running. */
    public boolean stop() {
        try (FolderLock lock = lock()) {
            NodeProcess process = read().process();
            boolean ran = process.running();
            NodeProcess.end(List.of(process));
            return ran;
        }
    }

    /** Kills it at once (SIGKILL), as a crash would. */
    public void kill() {
        read().process().kill();
    }

    /** Ends it and removes its files. */
    public void delete() {
        stop();
        try {
            NodeHome.delete(folder);
        } catch (IOException failed) {
            throw NodeException.files(folder, failed);
        }
    }

    private Recorded ports(Recorded before) {
        RandomGenerator random = RandomGenerator.getDefault();
        int port = before.port() > 0 && Ports.isFree(before.port())
                ? before.port()
                : Ports.choose(random, Set.of(before.controllerPort()));
        int controllerPort = before.controllerPort() > 0 && Ports.isFree(before.controllerPort())
                ? before.controllerPort()
                : Ports.choose(random, Set.of(port));
        return new Recorded(port, controllerPort, NodeProcess.NONE);
    }

    private Path configured(Recorded chosen, Map<String, String> more) throws IOException {
        Files.createDirectories(folder);
        var settings = new TreeMap<String, String>();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("controller.quorum.voters", "1@127.0.0.1:" + chosen.controllerPort());
        settings.put(
                "listeners",
                "PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d".formatted(chosen.port(), chosen.controllerPort()));
        settings.put("advertised.listeners", "PLAINTEXT://" + address(chosen));
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("listener.security.protocol.map", "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT");
        settings.put("log.dirs", data().toString());
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("offsets.topic.num.partitions", "4");
        settings.put("transaction.state.log.replication.factor", "1");
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("share.coordinator.state.topic.replication.factor", "1");
        settings.put("share.coordinator.state.topic.min.isr", "1");
        settings.put("group.initial.rebalance.delay.ms", "0");
        settings.put("auto.create.topics.enable", "false");
        settings.putAll(more);
        var text = new StringBuilder();
        settings.forEach(
                (name, value) -> text.append(name).append('=').append(value).append('\n'));
        Path config = folder.resolve("server.properties");
        Files.writeString(config, text);
        return config;
    }

    private void format(Path config) throws IOException {
        byte[] id = new byte[16];
        RandomGenerator.getDefault().nextBytes(id);
        String uuid = Base64.getUrlEncoder().withoutPadding().encodeToString(id).replaceFirst("^-", "A");
        List<String> words = java("256m");
        words.addAll(List.of("kafka.tools.StorageTool", "format", "-t", uuid, "-c", config.toString()));
        Command format = Command.run(FORMAT_LIMIT, folder, words);
        if (format.status() != 0) {
            throw new NodeException(
                    NodeException.Reason.NOT_STARTED,
                    "Kafka's folder " + data() + " cannot be prepared: "
                            + format.output().strip());
        }
    }

    private Recorded launched(Recorded chosen, Path config) throws IOException {
        List<String> words = new ArrayList<>();
        words.add(Command.onPath("setsid").map(Path::toString).orElse("nohup"));
        words.addAll(java("512m"));
        words.addAll(List.of("kafka.Kafka", config.toString()));
        Process process = new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
        return new Recorded(chosen.port(), chosen.controllerPort(), NodeProcess.of(process.toHandle()));
    }

    private List<String> java(String heap) {
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap,
                "-XX:+UseSerialGC",
                "-cp",
                libraries + "/*"));
    }

    private void await(Recorded started) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!takesConnections(started.port())) {
            if (!started.process().running() || System.nanoTime() - deadline > 0) {
                started.process().kill();
                throw new NodeException(NodeException.Reason.NOT_STARTED, "Kafka did not start: see " + log() + ".");
            }
            NodeProcess.pauseBriefly();
        }
    }

    private static boolean takesConnections(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port), 1_000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    private Path data() {
        return folder.resolve("data");
    }

    /** What it prints. */
    public Path log() {
        return folder.resolve("kafka.log");
    }

    private Path file() {
        return folder.resolve("broker.properties");
    }

    private Recorded read() {
        var properties = new Properties();
        try (var reader = Files.newBufferedReader(file(), StandardCharsets.UTF_8)) {
            properties.load(reader);
            return new Recorded(
                    Integer.parseInt(properties.getProperty("port")),
                    Integer.parseInt(properties.getProperty("controllerPort")),
                    new NodeProcess(
                            Long.parseLong(properties.getProperty("pid")),
                            Long.parseLong(properties.getProperty("startedMillis"))));
        } catch (IOException | NumberFormatException absent) {
            return Recorded.NONE;
        }
    }

    private void write(Recorded recorded) {
        String text = "port=%d%ncontrollerPort=%d%npid=%d%nstartedMillis=%d%n"
                .formatted(
                        recorded.port(),
                        recorded.controllerPort(),
                        recorded.process().pid(),
                        recorded.process().startedMillis());
        try {
            Path next = folder.resolve("broker.properties.new");
            Files.writeString(next, text);
            Files.move(next, file(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private FolderLock lock() {
        return FolderLock.take(folder.resolveSibling("kafka.lock"), () -> {});
    }
}
