/**
 * A search cluster as far as a loader can see it, without sockets, threads or time: it takes bulk requests and answers
 * them as OpenSearch 3.6.0 was measured to, including what it does wrong.
 */
@NullMarked
package io.penstock.testkit.model;

import org.jspecify.annotations.NullMarked;
