package io.penstock.core.checkpoint;

import java.time.Duration;
import java.util.Optional;

/**
 * Step 6 of the load path. Makes what the server has acknowledged safe on its disks. With a synchronous translog an
 * acknowledgement is safe by itself; with an asynchronous one only a flush is that succeeded on every shard (measured
 * on OpenSearch 3.6.0: neither a refresh nor setting the durability back saves anything).
 */
public interface DurabilityBarrier {
    /** Blocks until everything acknowledged before the call is safe; or says why it is not. */
    Optional<String> makeDurable();

    /** How often it is worth its cost. */
    Duration interval();

    /** Acknowledged is safe already. */
    DurabilityBarrier NONE = new DurabilityBarrier() {
        @Override
        public Optional<String> makeDurable() {
            return Optional.empty();
        }

        @Override
        public Duration interval() {
            return Duration.ofSeconds(1);
        }
    };
}
