package io.penstock.source.kafka;

import io.penstock.core.document.Position;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceException.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** One topic as it was when it was first asked for, and whether it still is. Safe for several threads. */
final class Topic {
    private static final Duration ASK = Duration.ofSeconds(20);

    private final TopicAddress address;
    private final Admin admin;
    private final Uuid id;
    private final List<TopicPartition> partitions;

    private Topic(TopicAddress address, Admin admin, TopicDescription found) {
        this.address = address;
        this.admin = admin;
        this.id = found.topicId();
        this.partitions = IntStream.range(0, found.partitions().size())
                .mapToObj(number -> new TopicPartition(address.topic(), number))
                .toList();
    }

    /** Looks the topic up; the client is the topic's from then on. */
    static Topic find(TopicAddress address, Admin admin) throws SourceException {
        return new Topic(address, admin, described(address, admin));
    }

    private static TopicDescription described(TopicAddress address, Admin admin) throws SourceException {
        var asked = admin.describeTopics(List.of(address.topic())).allTopicNames();
        return Objects.requireNonNull(answer(address, asked).get(address.topic()), "the topic that was asked for");
    }

    /** What a broker answers, or in one sentence why it does not. */
    private static <T> T answer(TopicAddress address, KafkaFuture<T> future) throws SourceException {
        try {
            return future.get(ASK.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw notAnswered(address, String.valueOf(cause.getMessage()), cause);
        } catch (TimeoutException e) {
            throw notAnswered(address, "no answer within %d s".formatted(ASK.toSeconds()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw notAnswered(address, "interrupted", e);
        }
    }

    private static SourceException notAnswered(TopicAddress address, String what, Throwable cause) {
        if (cause instanceof UnknownTopicOrPartitionException) {
            return gone(
                    "there is no topic %s on %s: name one that exists".formatted(address.topic(), address.brokers()),
                    cause);
        }
        if (cause instanceof AuthenticationException || cause instanceof AuthorizationException) {
            return gone("%s refuses us: %s; check --kafka-config".formatted(address, what), cause);
        }
        return gone("no Kafka broker answers for %s (%s): check host and port".formatted(address, what), cause);
    }

    private static SourceException gone(String message, Throwable cause) {
        return new SourceException(Reason.GONE, message, Position.START, cause);
    }

    TopicAddress address() {
        return address;
    }

    String name() {
        return address.topic();
    }

    /** Drawn when the topic was created: another topic of the same name has another. */
    String id() {
        return id.toString();
    }

    List<TopicPartition> partitions() {
        return partitions;
    }

    /**
     * Whether it is still the same topic with the same partitions. A key is in another partition when there are more of
     * them, and then offsets no longer say which of two records is newer.
     *
     * @throws SourceException with GONE or CHANGED if not
     * @throws RetriableException if no broker answers
     */
    void checkUnchanged() throws SourceException {
        TopicDescription now;
        try {
            now = described(address, admin);
        } catch (SourceException e) {
            if (e.getCause() instanceof RetriableException retriable
                    && !(retriable instanceof UnknownTopicOrPartitionException)) {
                throw retriable;
            }
            if (e.getCause() instanceof TimeoutException) {
                throw new org.apache.kafka.common.errors.TimeoutException(e.getMessage(), e);
            }
            throw e;
        }
        if (!now.topicId().equals(id)) {
            throw changed("the topic %s was deleted and made anew while it was read".formatted(name()));
        }
        if (now.partitions().size() != partitions.size()) {
            throw changed(
                    "the topic %s has %d partitions now and had %d: keys have moved, so that offsets no longer tell old documents from new ones; write to a new topic and load that"
                            .formatted(name(), now.partitions().size(), partitions.size()));
        }
    }

    private static SourceException changed(String message) {
        return new SourceException(Reason.CHANGED, message, Position.START);
    }

    /** Forgets how far a group has read. */
    void forget(String group) throws SourceException {
        try {
            answer(
                    address,
                    admin.deleteConsumerGroupOffsets(group, Set.copyOf(partitions))
                            .all());
        } catch (SourceException e) {
            if (e.getCause() instanceof GroupIdNotFoundException) {
                return;
            }
            if (e.getCause() instanceof GroupSubscribedToTopicException) {
                throw new SourceException(
                        Reason.GONE,
                        "others are reading %s for this index: stop them before --restart".formatted(name()),
                        Position.START,
                        e);
            }
            throw e;
        }
    }
}
