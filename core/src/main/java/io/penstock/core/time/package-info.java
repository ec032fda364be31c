/** Time as an argument: the only clock that the load path sees, so that a simulation can put its own in its place. */
@NullMarked
package io.penstock.core.time;

import org.jspecify.annotations.NullMarked;
