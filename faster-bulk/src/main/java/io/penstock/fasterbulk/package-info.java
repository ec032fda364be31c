/**
 * The OpenSearch plugin. One bulk's way through it: {@code DirectedRouting} on the node that the client speaks to, then
 * for each shard, on the node of its primary, {@code ShardBulkHandler}, {@code WriteQueues} (which decides when) and
 * {@code JoinedBulk} (which makes one of several, and several answers of one).
 */
@NullMarked
package io.penstock.fasterbulk;

import org.jspecify.annotations.NullMarked;
