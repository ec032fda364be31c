/**
 * The whole program as a process of its own that is killed, stopped, starved of memory and disk, and run again: the
 * fixture ({@link io.penstock.realservers.Program}, {@link io.penstock.endtoend.crash.PlantedDocuments},
 * {@link io.penstock.endtoend.crash.Proof}) and the tests.
 */
@NullMarked
package io.penstock.endtoend.crash;

import org.jspecify.annotations.NullMarked;
