/**
 * What is carried: one document, the operation asked of it, its bytes and the place it came from.
 *
 * <p>Everything here is a plain value without threads, clock or files.
 */
@NullMarked
package io.penstock.core.document;

import org.jspecify.annotations.NullMarked;
