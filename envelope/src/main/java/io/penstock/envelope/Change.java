package io.penstock.envelope;

import java.util.Optional;

/**
 * One setting that an envelope changes.
 *
 * @param before the value to put back, as the cluster gave it; empty if the setting was not set
 * @param during the value while the load runs
 */
public record Change(Optional<String> before, String during) {}
