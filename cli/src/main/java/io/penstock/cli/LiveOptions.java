package io.penstock.cli;

import io.penstock.core.time.Durations;
import io.penstock.job.LivePlan;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a topic is read. */
final class LiveOptions {
    @Option(names = "--follow", description = "Topics: go on behind the end that the topic has now, until stopped.")
    boolean follow;

    @Option(
            names = "--cut-over",
            paramLabel = "lag=N,for=D",
            description = "With --follow: when --alias moves. Default: lag=1000,for=10s.")
    @Nullable
    String cutOver;

    @Option(
            names = "--kafka-config",
            paramLabel = "FILE",
            description = "Topics: properties for the Kafka client, such as those for TLS and SASL.")
    @Nullable
    Path kafkaConfig;

    /** That nothing was asked for that only topics have. */
    void checkUnused() {
        String used =
                follow ? "--follow" : cutOver != null ? "--cut-over" : kafkaConfig != null ? "--kafka-config" : "";
        if (!used.isEmpty()) {
            throw new UsageException(used + " is for topics: kafka://HOST:PORT/TOPIC");
        }
    }

    /** @param alias whether there is an alias to move */
    LivePlan.Current current(boolean alias) {
        if (cutOver == null) {
            return LivePlan.Current.DEFAULT;
        }
        if (!follow || !alias) {
            throw new UsageException("--cut-over needs --follow and --alias: it says when the alias moves");
        }
        long lag = LivePlan.Current.DEFAULT.lag();
        Duration time = LivePlan.Current.DEFAULT.time();
        for (String part : cutOver.split(",", -1)) {
            String[] words = part.split("=", 2);
            try {
                if (words.length == 2 && words[0].equals("lag") && Long.parseLong(words[1]) >= 0) {
                    lag = Long.parseLong(words[1]);
                    continue;
                }
                if (words.length == 2 && words[0].equals("for")) {
                    time = Durations.parse(words[1]);
                    continue;
                }
            } catch (IllegalArgumentException e) {
                // Said below.
            }
            throw new UsageException("--cut-over is for example lag=1000,for=30s, not '%s'".formatted(cutOver));
        }
        return new LivePlan.Current(lag, time);
    }

    /** Properties in the form of Java's files, as all of Kafka's own tools take them. */
    Map<String, String> kafkaConfig() {
        var config = new HashMap<String, String>();
        if (kafkaConfig != null) {
            var properties = new Properties();
            try (Reader reader = Files.newBufferedReader(kafkaConfig, StandardCharsets.UTF_8)) {
                properties.load(reader);
            } catch (IOException | IllegalArgumentException e) {
                throw new UsageException("--kafka-config %s cannot be read: %s".formatted(kafkaConfig, e.getMessage()));
            }
            properties.stringPropertyNames().forEach(name -> config.put(name, properties.getProperty(name)));
        }
        return config;
    }
}
