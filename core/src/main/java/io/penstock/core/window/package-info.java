/**
 * Step 4a of the load path: how much may be in flight.
 *
 * <p>{@link io.penstock.core.window.WindowLaw} is the law: numbers in, bulk size and concurrency out, no clock and no
 * threads. {@link io.penstock.core.window.Window} hands out the permits.
 */
@NullMarked
package io.penstock.core.window;

import org.jspecify.annotations.NullMarked;
