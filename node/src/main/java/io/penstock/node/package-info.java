/**
 * Real search servers on this machine: fetched, verified, started, watched and ended.
 *
 * <p>{@link io.penstock.node.LocalCluster} is the way in. Everything it knows is in {@code cluster.json} in the state
 * folder, so that any later process can go on where an earlier one ended or was killed.
 */
@NullMarked
package io.penstock.node;

import org.jspecify.annotations.NullMarked;
