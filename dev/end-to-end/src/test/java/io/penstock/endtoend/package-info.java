/**
 * Whole loads against real servers, with faults in between: the fixture ({@link io.penstock.realservers.RealNode},
 * {@link io.penstock.endtoend.LoadUnderTest}) and the tests, each named for the promise it proves.
 */
@NullMarked
package io.penstock.endtoend;

import org.jspecify.annotations.NullMarked;
