/**
 * Measures the load engine on real local servers: a workload with the same bytes every time, a bare loader as
 * yardstick, and experiments that alternate between the sides they compare, because machines drift.
 *
 * <p>Penstock runs as a child process, as its users run it; nothing here reaches into it.
 */
@NullMarked
package io.penstock.bench;

import org.jspecify.annotations.NullMarked;
