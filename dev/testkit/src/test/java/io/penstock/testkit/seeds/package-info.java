/** That seeds repeat, and that a failing seeded test says how to repeat it. */
@NullMarked
package io.penstock.testkit.seeds;

import org.jspecify.annotations.NullMarked;
