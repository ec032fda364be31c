package io.penstock.source.kafka;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A topic as people name it on a command line: {@code kafka://HOST:PORT[,HOST:PORT...]/TOPIC}.
 *
 * @param brokers as Kafka's {@code bootstrap.servers}
 * @param topic its name
 */
public record TopicAddress(String brokers, String topic) {
    private static final String SCHEME = "kafka://";

    /** Hosts may be names, IPv4 addresses, or IPv6 addresses in brackets; topics are named as Kafka allows. */
    private static final Pattern FORM =
            Pattern.compile("kafka://((?:[^/,@\\s]+:\\d{1,5})(?:,[^/,@\\s]+:\\d{1,5})*)/([a-zA-Z0-9._-]{1,249})");

    /** Whether the text is meant to be one. */
    public static boolean isMeant(String text) {
        return text.startsWith(SCHEME);
    }

    /** The address that the text says, or nothing if it has another form. */
    public static Optional<TopicAddress> parse(String text) {
        Matcher form = FORM.matcher(text);
        return form.matches() ? Optional.of(new TopicAddress(form.group(1), form.group(2))) : Optional.empty();
    }

    @Override
    public String toString() {
        return SCHEME + brokers + "/" + topic;
    }
}
