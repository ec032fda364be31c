/** {@code penstock bench}: experiments on real clusters. See docs/bench.md. */
@NullMarked
package io.penstock.bench;

import org.jspecify.annotations.NullMarked;
