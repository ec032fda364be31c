/** The faster-bulk plugin in real servers: what it must never change, and what it is for. */
@NullMarked
package io.penstock.plugin;

import org.jspecify.annotations.NullMarked;
