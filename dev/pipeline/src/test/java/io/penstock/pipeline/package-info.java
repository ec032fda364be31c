/**
 * From a database through a topic into an index, with a real MariaDB ({@link io.penstock.pipeline.Database}), a real
 * Kafka ({@link io.penstock.pipeline.Broker}) and the program as a process of its own.
 */
@NullMarked
package io.penstock.pipeline;

import org.jspecify.annotations.NullMarked;
