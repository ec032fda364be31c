/** Small parts measured by themselves, with JMH. */
@NullMarked
package io.penstock.microbench;

import org.jspecify.annotations.NullMarked;
