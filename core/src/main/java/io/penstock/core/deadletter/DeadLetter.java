package io.penstock.core.deadletter;

import io.penstock.core.document.Position;
import io.penstock.core.state.AppendLog;
import java.time.Instant;

/**
 * A document that was not indexed.
 *
 * @param time when it was given up
 * @param partition name of the partition it came from
 * @param position where it begins there
 * @param status HTTP status, or 0 if it was never sent
 * @param type short word for the kind of fault
 * @param reason the fault in words
 * @param attempts how often it was sent
 * @param action the action line it was sent with, as JSON; empty if it was never sent
 * @param document the original bytes, which can be asked for twice; none if there were too many to keep
 * @param documentBytes how many bytes the original has
 */
public record DeadLetter(
        Instant time,
        String partition,
        Position position,
        int status,
        String type,
        String reason,
        int attempts,
        byte[] action,
        AppendLog.Content document,
        long documentBytes) {}
