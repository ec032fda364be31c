package io.penstock.cli;

import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that nearly every verb has: in which form results are printed, and what all verbs have. */
final class OutputOptions {
    enum Output {
        text,
        json
    }

    enum Progress {
        auto,
        plain,
        json,
        none
    }

    @Option(
            names = "--output",
            paramLabel = "text|json",
            defaultValue = "text",
            description = "Form of the result on standard output. Default: text.")
    Output output = Output.text;

    @Mixin
    CommonOptions common = new CommonOptions();

    Path stateFolder() {
        return common.stateFolder();
    }

    boolean isJson() {
        return output == Output.json;
    }
}
