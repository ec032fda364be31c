/**
 * The local disk: files that are whole or absent, a log that only grows, and a lock. The only package of the core that
 * touches files; what a power cut leaves behind is described in {@code docs/checkpoint.md}.
 */
@NullMarked
package io.penstock.core.state;

import org.jspecify.annotations.NullMarked;
