/**
 * One load from its first document to its last checkpoint: the few loops that block, and nothing else.
 *
 * <p>{@link io.penstock.core.load.ReaderLoop} reads and makes batches, {@link io.penstock.core.load.DeliveryLoop}
 * brings each to its end on a thread of its own, {@link io.penstock.core.load.SettlerLoop} writes dead letters and
 * settles, and {@link io.penstock.core.load.CheckpointLoop} writes down how far that is.
 */
@NullMarked
package io.penstock.core.load;

import org.jspecify.annotations.NullMarked;
