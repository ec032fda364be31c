/** Step 5 of the load path: what could not be indexed, kept with its reason, its place and its exact bytes. */
@NullMarked
package io.penstock.core.deadletter;

import org.jspecify.annotations.NullMarked;
