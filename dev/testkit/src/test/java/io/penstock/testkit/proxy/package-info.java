/** Each fault as a plain HTTP client and a stub of a cluster see it. */
@NullMarked
package io.penstock.testkit.proxy;

import org.jspecify.annotations.NullMarked;
