/** What was measured, what it says, and the reports of it. */
@NullMarked
package io.penstock.bench.result;

import org.jspecify.annotations.NullMarked;
