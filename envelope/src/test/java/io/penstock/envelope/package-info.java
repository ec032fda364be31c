@NullMarked
package io.penstock.envelope;

import org.jspecify.annotations.NullMarked;
