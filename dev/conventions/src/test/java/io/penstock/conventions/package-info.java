/** What holds the house together: who may use whom, and that the documents say what the code does. */
@NullMarked
package io.penstock.conventions;

import org.jspecify.annotations.NullMarked;
