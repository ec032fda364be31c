/** What happens in a load, as typed values: terminal, report, benchmark and tests listen to the same ones. */
@NullMarked
package io.penstock.core.event;

import org.jspecify.annotations.NullMarked;
