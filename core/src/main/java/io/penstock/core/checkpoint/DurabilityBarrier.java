package io.penstock.core.checkpoint;

import java.time.Duration;

/**
 * Step 6 of the load path. Makes what the server has acknowledged safe on its disks. With a synchronous translog an
 * acknowledgement is safe by itself; with an asynchronous one only a flush is that succeeded on every shard (measured
 * on OpenSearch 3.6.0: neither a refresh nor setting the durability back saves anything).
 */
public interface DurabilityBarrier {
    /** Blocks until everything acknowledged before the call is safe, or says why it is not. */
    Durability makeDurable();

    /** How often it is worth its cost. */
    Duration interval();

    /** What became of the writes acknowledged since the last time they were safe. */
    sealed interface Durability {
        /** They are on the server's disks. */
        record Safe() implements Durability {}

        /** They may yet be made safe. */
        record NotYet(String why) implements Durability {}

        /** The server may have lost some of them: they must be sent again, from the last checkpoint. */
        record Lost(String why) implements Durability {}
    }

    /** Acknowledged is safe already. */
    DurabilityBarrier NONE = new DurabilityBarrier() {
        @Override
        public Durability makeDurable() {
            return new Durability.Safe();
        }

        @Override
        public Duration interval() {
            return Duration.ofSeconds(1);
        }
    };
}
