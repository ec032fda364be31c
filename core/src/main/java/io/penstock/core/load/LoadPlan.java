package io.penstock.core.load;

import io.penstock.core.batch.BufferPool;
import io.penstock.core.checkpoint.Checkpoint;
import io.penstock.core.checkpoint.DurabilityBarrier;
import io.penstock.core.deadletter.DeadLetterWriter;
import io.penstock.core.delivery.BulkTransport;
import io.penstock.core.delivery.DeliveryPolicy;
import io.penstock.core.event.LoadListener;
import io.penstock.core.source.Source;
import io.penstock.core.time.Clock;
import io.penstock.core.window.WindowLimits;
import io.penstock.core.window.WindowSize;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Everything one load needs, chosen by whoever runs it.
 *
 * @param source where documents come from
 * @param transport where they go
 * @param barrier what makes them safe there
 * @param index name of the index, from which ids are made
 * @param serverIds whether documents without an id get theirs from the server; then a resend can make a second copy
 * @param memory the budget for everything in flight
 * @param limits bounds of the window
 * @param firstSize where the window starts
 * @param delivery how long a batch tries
 * @param rejectLimit when too much is rejected
 * @param rate how fast documents may leave the reader
 * @param checkpoints where progress is kept, or nothing when the source cannot be read again
 * @param start the checkpoint to go on from; one with marks at the start for a new load
 * @param deadLetters where rejected documents go
 * @param stateRetry how long writing a checkpoint is tried again when it fails
 * @param drain how long requests in flight may still take when a load is stopped
 * @param listener who hears what happens
 * @param clock the time
 */
public record LoadPlan(
        Source source,
        BulkTransport transport,
        DurabilityBarrier barrier,
        String index,
        boolean serverIds,
        BufferPool memory,
        WindowLimits limits,
        WindowSize firstSize,
        DeliveryPolicy delivery,
        RejectLimit rejectLimit,
        RateLimit rate,
        Optional<Consumer<Checkpoint>> checkpoints,
        Checkpoint start,
        DeadLetterWriter deadLetters,
        Duration stateRetry,
        Duration drain,
        LoadListener listener,
        Clock clock) {}
