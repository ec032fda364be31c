/**
 * The command line: the one place that knows every module and wires them by hand, in the order of the data.
 *
 * <p>{@link io.penstock.cli.Penstock} is the program; each verb is one command class.
 */
@NullMarked
package io.penstock.cli;

import org.jspecify.annotations.NullMarked;
