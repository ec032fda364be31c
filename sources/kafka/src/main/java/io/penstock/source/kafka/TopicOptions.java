package io.penstock.source.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * How a topic is read.
 *
 * @param config properties for the Kafka client, such as those for TLS and SASL
 * @param follow whether to go on behind the end that the topic has when reading begins
 * @param idField the field with the {@code _id}, instead of the record's key; dots lead into objects
 * @param routingField the field with the routing value, instead of the header {@code routing}
 * @param maxDocumentBytes values with more bytes than this are bad documents
 * @param outageMax how long no broker need answer before reading is given up
 */
public record TopicOptions(
        Map<String, String> config,
        boolean follow,
        Optional<String> idField,
        Optional<String> routingField,
        long maxDocumentBytes,
        Duration outageMax) {
    public TopicOptions {
        config = Map.copyOf(config);
    }
}
