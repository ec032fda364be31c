/**
 * Real servers and the program itself in a test's hands: {@link io.penstock.realservers.RealNode} gives a test class
 * its cluster, {@link io.penstock.realservers.Program} runs the program as users do.
 */
@NullMarked
package io.penstock.realservers;

import org.jspecify.annotations.NullMarked;
