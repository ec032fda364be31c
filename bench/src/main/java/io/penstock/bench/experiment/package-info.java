/** What is to be measured: experiment files, and the cells that they span. */
@NullMarked
package io.penstock.bench.experiment;

import org.jspecify.annotations.NullMarked;
