/**
 * Step 1 of the load path: where documents come from.
 *
 * <p>A source has partitions, each read in order by one reader. Implementations live in the {@code sources} modules.
 */
@NullMarked
package io.penstock.core.source;

import org.jspecify.annotations.NullMarked;
