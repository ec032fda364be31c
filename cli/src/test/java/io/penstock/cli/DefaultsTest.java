package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DefaultsTest {
    @TempDir
    private Path folder;

    private final StringWriter err = new StringWriter();

    @Test
    void anOptionComesFromTheFlagThenTheEnvironmentThenTheFileThenTheDefault() throws IOException {
        String file = file("format: csv\nop: create\nids: server\nno-sniff: true\n");
        CommandLine commandLine = commandLine(Map.of("PENSTOCK_OP", "delete", "PENSTOCK_IDS", "job"));

        LoadCommand load = parse(commandLine, "load", "x", "-i", "x", "--config", file, "--ids", "server");

        assertThat(load.ids).isEqualTo("server");
        assertThat(load.operation).isEqualTo("delete");
        assertThat(load.format).isEqualTo("csv");
        assertThat(load.noSniff).isTrue();
        assertThat(load.finish.verify).isEqualTo("count");
    }

    @Test
    void theFileMayBeNamedByTheEnvironmentAndMayHoldARequiredOption() throws IOException {
        CommandLine commandLine = commandLine(Map.of("PENSTOCK_CONFIG", file("index: logs\ntarget: [a:1, b:2]\n")));

        LoadCommand load = parse(commandLine, "load", "x");

        assertThat(load.index).isEqualTo("logs");
        assertThat(load.connection.targets).containsExactly("a:1", "b:2");
    }

    @Test
    void anOptionThatDoesNotExistIsRefused() throws IOException {
        String file = file("bulkbytes: 5mb\n");

        assertThat(Penstock.run(commandLine(Map.of()), "load", "x", "-i", "x", "--config=" + file))
                .isEqualTo(2);
        assertThat(err.toString()).contains("there is no option --bulkbytes");
    }

    @Test
    void aFileThatIsNotThereIsRefused() {
        assertThat(Penstock.run(commandLine(Map.of()), "load", "x", "-i", "x", "--config=" + folder + "/none.yml"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("none.yml cannot be read");
    }

    @Test
    void aVariableForTheVersionOfANodeDoesNotBreakOtherVerbs() {
        LoadCommand load = parse(commandLine(Map.of("PENSTOCK_VERSION", "3.6.0")), "load", "x", "-i", "x");

        assertThat(load.index).isEqualTo("x");
    }

    private String file(String yaml) throws IOException {
        return Files.writeString(folder.resolve("config.yml"), yaml).toString();
    }

    private CommandLine commandLine(Map<String, String> environment) {
        CommandLine commandLine = Penstock.commandLine(environment);
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine;
    }

    /** Parses as a run does, and stops before anything is done. */
    private LoadCommand parse(CommandLine commandLine, String... arguments) {
        commandLine.setExecutionStrategy(parsed -> 0);
        assertThat(Penstock.run(commandLine, arguments)).as(err.toString()).isZero();
        CommandLine load = Objects.requireNonNull(commandLine.getSubcommands().get("load"));
        return (LoadCommand) load.getCommandSpec().userObject();
    }
}
