/**
 * The envelope: temporary settings around a load, written down in the cluster before they are changed, so that any
 * machine can put them back.
 *
 * <p>Knows no HTTP, no clock and no threads: the cluster is a port, and the time is an argument.
 */
@NullMarked
package io.penstock.envelope;

import org.jspecify.annotations.NullMarked;
