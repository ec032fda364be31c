package io.penstock.job;

import java.util.Optional;

/**
 * What more there is to know when the source is an index itself. Its documents have been through their pipelines, so
 * that none sees them again.
 *
 * @param inside the cluster's own way to copy, or nothing when the documents are read and sent
 * @param catchUp how to find what changes in the source meanwhile, or nothing when nobody asked for it
 */
public record CopyPlan(Optional<ServerCopy> inside, Optional<CatchUp> catchUp) {}
