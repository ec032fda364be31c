/**
 * The whole load path on virtual time against a model cluster: thousands of seeds, each a different run of bad luck.
 */
@NullMarked
package io.penstock.testkit.sim;

import org.jspecify.annotations.NullMarked;
