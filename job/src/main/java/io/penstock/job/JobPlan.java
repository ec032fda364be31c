package io.penstock.job;

import io.penstock.core.load.RateLimit;
import io.penstock.core.source.Source;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What a job is asked to do.
 *
 * @param source where documents come from
 * @param index index, alias or data stream to write to
 * @param definition how the index is made if it is missing
 * @param pipeline ingest pipeline for every document
 * @param serverIds whether the server makes missing ids
 * @param options the options that decide what each document becomes, as one text: a resume with others is refused
 * @param bulkBytes fixed bulk size, or nothing to find it
 * @param concurrency fixed number of requests in flight, or nothing to find it
 * @param concurrencyMax bound of the number of requests in flight
 * @param memoryBytes budget for everything in flight
 * @param retriesMax tries of one document, 0 for no bound but {@code outageMax}
 * @param outageMax how long the target may be unusable
 * @param rejectsMax most dead letters, or nothing for the rules of {@link io.penstock.core.load.RejectLimit#ofOneKind}
 * @param rate how fast documents may be sent; may change while the job runs
 * @param deadLetters file for dead letters, or nothing for one in the job's folder
 * @param copy what more there is to know when the source is an index
 * @param live what more there is to know when the source goes on being written to
 * @param keepSettings whether the index keeps its settings while it is loaded
 * @param finish what is done when everything is loaded
 * @param restart whether to forget an earlier run
 * @param dryRun whether to stop before anything is written anywhere
 * @param state the state folder
 */
public record JobPlan(
        Source source,
        String index,
        Target.IndexDefinition definition,
        Optional<String> pipeline,
        boolean serverIds,
        String options,
        OptionalInt bulkBytes,
        OptionalInt concurrency,
        int concurrencyMax,
        long memoryBytes,
        int retriesMax,
        Duration outageMax,
        OptionalLong rejectsMax,
        RateLimit rate,
        Optional<Path> deadLetters,
        Optional<CopyPlan> copy,
        Optional<LivePlan> live,
        boolean keepSettings,
        FinishPlan finish,
        boolean restart,
        boolean dryRun,
        Path state) {
    Optional<ServerCopy> copyInside() {
        return copy.flatMap(CopyPlan::inside);
    }

    Optional<CatchUp> catchUp() {
        return copy.flatMap(CopyPlan::catchUp);
    }
}
