/**
 * Documents made on the fly. The same workload and seed give the same bytes on every machine and every JDK, and a
 * longer run begins with the documents of a shorter one.
 */
@NullMarked
package io.penstock.bench.workload;

import org.jspecify.annotations.NullMarked;
