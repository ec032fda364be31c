/** One run of one cell: servers, index, load, and everything that is measured meanwhile. */
@NullMarked
package io.penstock.bench.trial;

import org.jspecify.annotations.NullMarked;
