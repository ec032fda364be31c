/**
 * One whole load, from the first question to the cluster to the report.
 *
 * <p>{@link io.penstock.job.Job#run} reads as the steps happen: pre-flight, load, verification, report. The ports
 * {@link io.penstock.job.Target} and {@link io.penstock.job.TargetIndex} are what it needs of a cluster.
 */
@NullMarked
package io.penstock.job;

import org.jspecify.annotations.NullMarked;
