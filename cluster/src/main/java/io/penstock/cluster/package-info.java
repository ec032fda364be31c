/**
 * OpenSearch and Elasticsearch over HTTP: the only place that speaks HTTP to a cluster or reads its JSON.
 *
 * <p>{@link io.penstock.cluster.HttpExchange} carries one request under one total deadline,
 * {@link io.penstock.cluster.NodeRing} chooses the node, {@link io.penstock.cluster.HttpBulkTransport} is the hot path.
 */
@NullMarked
package io.penstock.cluster;

import org.jspecify.annotations.NullMarked;
