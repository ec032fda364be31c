/**
 * Random tests that can be repeated: one generator with one seed, and a JUnit annotation that runs a test with many of
 * them.
 *
 * <p>Property tests, simulations and the fault proxy share {@link io.penstock.testkit.seeds.Seeds}, so a failure
 * anywhere is told by one number.
 */
@NullMarked
package io.penstock.testkit.seeds;

import org.jspecify.annotations.NullMarked;
