/**
 * Steps 6 and 7 of the load path: what has its end is written down, so that the same command goes on behind it.
 *
 * <p>{@link io.penstock.core.checkpoint.Ledger} knows how far each partition is done without a gap; a
 * {@link io.penstock.core.checkpoint.Checkpoint} says so on disk.
 */
@NullMarked
package io.penstock.core.checkpoint;

import org.jspecify.annotations.NullMarked;
