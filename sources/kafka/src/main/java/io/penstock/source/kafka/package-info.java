/**
 * Step 1 of the load path for Kafka topics: {@link TopicSource}. The only user of the Kafka client beside {@code feed}.
 */
@NullMarked
package io.penstock.source.kafka;

import org.jspecify.annotations.NullMarked;
