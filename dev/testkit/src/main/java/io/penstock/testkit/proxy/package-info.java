/**
 * A scripted HTTP proxy that stands between the loader and a real cluster and plays the faults of a bad network or a
 * lying server.
 *
 * <p>{@link io.penstock.testkit.proxy.FaultProxy} is the entrance, {@link io.penstock.testkit.proxy.Fault} lists what
 * it can do wrong, and {@link io.penstock.testkit.proxy.Journal} holds what the server really answered, so that a test
 * need not trust the loader's own counters.
 */
@NullMarked
package io.penstock.testkit.proxy;

import org.jspecify.annotations.NullMarked;
