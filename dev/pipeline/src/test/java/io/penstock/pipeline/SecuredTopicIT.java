package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.realservers.Program;
import io.penstock.realservers.RealCluster;
import io.penstock.realservers.RealNode;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that is spoken to through TLS, and asks who it is. */
@RealNode
class SecuredTopicIT {
    private static final String TOPIC = "secured";
    private static final String INDEX = "secured";
    private static final String SECRET = "change-it";
    private static final String LOGIN =
            "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s\"%s;";

    @TempDir
    static Path keys;

    private static Broker broker;

    @TempDir
    Path folder;

    private RealCluster node;
    private Program program;

    @BeforeAll
    static void startBroker() throws Exception {
        Path store = keyStore();
        broker = Broker.start(
                "secured",
                Map.ofEntries(
                        Map.entry("listener.security.protocol.map", "CONTROLLER:PLAINTEXT,PLAINTEXT:SASL_SSL"),
                        Map.entry("inter.broker.listener.name", "PLAINTEXT"),
                        Map.entry("sasl.enabled.mechanisms", "PLAIN"),
                        Map.entry("sasl.mechanism.inter.broker.protocol", "PLAIN"),
                        Map.entry(
                                "listener.name.plaintext.plain.sasl.jaas.config",
                                LOGIN.formatted("loader", SECRET, " user_loader=\"" + SECRET + "\"")),
                        Map.entry("ssl.keystore.location", store.toString()),
                        Map.entry("ssl.keystore.type", "PKCS12"),
                        Map.entry("ssl.keystore.password", SECRET),
                        // A broker tries its own key against what it trusts before it starts.
                        Map.entry("ssl.truststore.location", store.toString()),
                        Map.entry("ssl.truststore.type", "PKCS12"),
                        Map.entry("ssl.truststore.password", SECRET)),
                new HashMap<>(client(SECRET)));
        broker.create(TOPIC, 2);
        for (int n = 0; n < 100; n++) {
            broker.send(TOPIC, "k" + n, "{\"n\":" + n + "}");
        }
        broker.flush();
    }

    @AfterAll
    static void endBroker() {
        if (broker != null) {
            broker.close();
        }
    }

    @BeforeEach
    void open(RealCluster cluster) {
        node = cluster;
        program = new Program(folder);
    }

    @AfterEach
    void close() {
        program.close();
        node.call("DELETE", "/" + INDEX, "");
    }

    @Test
    void isReadWithThePropertiesOfTheKafkaConfig() throws Exception {
        Program.Ended ended = load(client(SECRET));

        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(node.count(INDEX)).isEqualTo(100);
    }

    @Test
    void refusesAWrongPasswordInOneSentence() throws Exception {
        Program.Ended ended = load(client("guessed"));

        assertThat(ended.exit()).as(ended.err()).isEqualTo(5);
        assertThat(ended.err())
                .contains("refuses us", "check --kafka-config")
                .doesNotContain("guessed", "Exception", "\tat ");
    }

    private Program.Ended load(Map<String, String> client) throws IOException, InterruptedException {
        var properties = new Properties();
        properties.putAll(client);
        Path file = folder.resolve("client.properties");
        try (Writer out = Files.newBufferedWriter(file)) {
            properties.store(out, null);
        }
        return program.start(
                        "load",
                        broker.url(TOPIC),
                        "-i",
                        INDEX,
                        "-t",
                        node.url().toString(),
                        "--no-sniff",
                        "--kafka-config",
                        file.toString())
                .end();
    }

    private static Map<String, String> client(String password) {
        return Map.of(
                "security.protocol",
                "SASL_SSL",
                "sasl.mechanism",
                "PLAIN",
                "sasl.jaas.config",
                LOGIN.formatted("loader", password, ""),
                "ssl.truststore.location",
                keys.resolve("broker.p12").toString(),
                "ssl.truststore.type",
                "PKCS12",
                "ssl.truststore.password",
                SECRET);
    }

    /** A key with its own signature, which is also what clients trust. */
    private static Path keyStore() throws IOException, InterruptedException {
        Path store = keys.resolve("broker.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "broker",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=broker",
                        "-ext",
                        "SAN=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        SECRET)
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
        return store;
    }
}
