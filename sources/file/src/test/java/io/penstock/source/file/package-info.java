/**
 * Tests of the file source: a corpus of faults per format, and random documents cut in random ways.
 *
 * <p>A failing random case prints its seed; {@code -Dseed=} repeats it.
 */
@NullMarked
package io.penstock.source.file;

import org.jspecify.annotations.NullMarked;
