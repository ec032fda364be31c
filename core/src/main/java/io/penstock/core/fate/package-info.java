/** Where a document can end: exactly one of these fates, and the equation that all of them must satisfy. */
@NullMarked
package io.penstock.core.fate;

import org.jspecify.annotations.NullMarked;
