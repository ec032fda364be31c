/**
 * Steps 2 and 3 of the load path: documents wait for their key, get an id, and are written into batches.
 *
 * <p>{@link io.penstock.core.batch.BufferPool} and {@link io.penstock.core.batch.KeyGate} are shared between threads
 * and say so; a batch has one owner at a time.
 */
@NullMarked
package io.penstock.core.batch;

import org.jspecify.annotations.NullMarked;
