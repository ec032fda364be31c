package io.penstock.job;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What more there is to know when the source is an index itself. Its documents have been through their pipelines, so
 * that none sees them again.
 *
 * @param inside the cluster's own way to copy, or nothing when the documents are read and sent
 * @param catchUp how to find what changes in the source meanwhile, or nothing when nobody asked for it
 * @param sample some of its documents, chosen at random
 */
public record CopyPlan(
        Optional<ServerCopy> inside, Optional<CatchUp> catchUp, Supplier<List<SampledDocument>> sample) {}
