package io.penstock.core.delivery;

import java.time.Duration;

/**
 * How long a batch tries.
 *
 * @param backoff waits between tries
 * @param retriesMax tries of one document after the first before the load stops with
 *     {@link StopReason#TARGET_UNUSABLE}; 0 for as many as {@code outageMax} allows
 * @param outageMax how long documents may fail without end before the load stops with the same; zero for ever
 * @param resumed whether an earlier run of the job may have written the same documents already
 */
public record DeliveryPolicy(Backoff backoff, int retriesMax, Duration outageMax, boolean resumed) {}
