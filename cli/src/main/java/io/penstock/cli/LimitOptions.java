package io.penstock.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much may go wrong, and where what went wrong is kept. */
final class LimitOptions {
    @Option(
            names = "--max-outage",
            paramLabel = "DURATION",
            defaultValue = "10m",
            description = "How long the cluster may be unusable; 0 for ever. Default: 10m.")
    Duration maxOutage = Duration.ofMinutes(10);

    @Option(
            names = "--max-rejects",
            paramLabel = "N",
            description = "Most dead letters. Default: stops when nearly all fail for one reason.")
    @Nullable
    Long maxRejects;

    @Option(names = "--dlq", paramLabel = "FILE", description = "File for dead letters. Default: in the state folder.")
    @Nullable
    Path deadLetters;

    OptionalLong rejects() {
        return maxRejects == null ? OptionalLong.empty() : OptionalLong.of(maxRejects);
    }

    Optional<Path> deadLetterFile() {
        return Optional.ofNullable(deadLetters).map(Path::toAbsolutePath);
    }
}
