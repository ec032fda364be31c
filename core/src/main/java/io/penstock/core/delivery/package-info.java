/**
 * Step 4 of the load path: one batch goes in, one fate per document comes out.
 *
 * <p>{@link io.penstock.core.delivery.BatchJourney} decides and never blocks; {@link io.penstock.core.delivery.Triage}
 * is the one table that says what a server's answer means; {@link io.penstock.core.delivery.BulkTransport} is the port
 * to the cluster.
 */
@NullMarked
package io.penstock.core.delivery;

import org.jspecify.annotations.NullMarked;
