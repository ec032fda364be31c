/**
 * The whole program as a process of its own that is killed, stopped, starved of memory and disk, and run again: the
 * fixture ({@link io.penstock.realservers.Program}, {@link io.penstock.program.PlantedDocuments},
 * {@link io.penstock.program.Proof}) and the tests.
 */
@NullMarked
package io.penstock.program;

import org.jspecify.annotations.NullMarked;
