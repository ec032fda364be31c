package io.penstock.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the verbs that take a while. */
final class ProgressOptions {
    @Option(
            names = "--progress",
            paramLabel = "HOW",
            defaultValue = "auto",
            description = "Progress: auto, plain, json or none. Default: auto, on a terminal only.")
    OutputOptions.Progress progress = OutputOptions.Progress.auto;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "YAML file with options by their long names; flags and environment come first.")
    @Nullable
    Path config;

    ProgressPrinter.Style style(boolean quiet) {
        return switch (progress) {
            case auto ->
                Boolean.getBoolean("penstock.terminal") && !quiet
                        ? ProgressPrinter.Style.TERMINAL
                        : ProgressPrinter.Style.NONE;
            case plain -> ProgressPrinter.Style.PLAIN;
            case json -> ProgressPrinter.Style.JSON;
            case none -> ProgressPrinter.Style.NONE;
        };
    }
}
