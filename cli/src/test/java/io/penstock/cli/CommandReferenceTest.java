package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CommandReferenceTest {
    private static final String BEGIN = "<!-- generated from picocli; mvn verify -Dgolden=update rewrites it -->\n";
    private static final String END = "<!-- end of what is generated -->";

    /** Compares; {@code -Dgolden=update} rewrites instead. */
    @Test
    void theReferenceIsWhatHelpSays() throws IOException {
        Path file = Path.of("../docs/cli.md");
        String text = Files.readString(file);
        assertThat(text).contains(BEGIN, END);
        var reference = new StringBuilder();
        describe(Penstock.commandLine(Map.of()), reference);
        int from = text.indexOf(BEGIN) + BEGIN.length();
        int until = text.indexOf(END, from);

        if ("update".equals(System.getProperty("golden"))) {
            Files.writeString(file, text.substring(0, from) + reference + text.substring(until));
        } else {
            assertThat(text.substring(from, until)).isEqualTo(reference.toString());
        }
    }

    private static void describe(CommandLine command, StringBuilder reference) {
        reference
                .append("\n### ")
                .append(command.getCommandSpec().qualifiedName())
                .append("\n\n```\n")
                .append(command.getUsageMessage(CommandLine.Help.Ansi.OFF).stripTrailing())
                .append("\n```\n");
        command.getSubcommands().values().forEach(verb -> describe(verb, reference));
    }
}
