package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class HelpTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "demo",
                "load",
                "dlq",
                "dlq list",
                "dlq replay",
                "feed",
                "bench",
                "bench list",
                "bench run",
                "bench compare",
                "node",
                "node start",
                "node stop",
                "node status"
            })
    void everyVerbExplainsItselfOnOneScreen(String verb) {
        int exit = run((verb + " --help").strip().split(" "));

        assertThat(exit).as(err.toString()).isZero();
        assertThat(out.toString().lines()).hasSizeBetween(5, 60);
    }

    @Test
    void aWrongOptionIsAnsweredInOneSentenceWithExitCode2() {
        int exit = run("load", "x.ndjson", "-i", "x", "--no-snif");

        assertThat(exit).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("penstock: Unknown option: '--no-snif'")
                .contains("--no-sniff");
    }

    @Test
    void withoutAVerbTheVerbsAreListed() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString()).contains("say what to do", "penstock --help");
    }

    @Test
    void aWrongValueIsAnsweredWithoutTheNamesOfClasses() {
        assertThat(run("load", "x", "-i", "x", "--max-outage", "abc")).isEqualTo(2);
        assertThat(err.toString()).contains("'abc' is no duration").doesNotContain("Exception");
    }

    @Test
    void whatIsWrongWithALoadIsSaidBeforeAnyClusterIsAsked() {
        assertThat(run("load", "no-such-file", "-i", "x", "-t", "http://localhost:1"))
                .isEqualTo(5);
        assertThat(err.toString()).contains("no-such-file does not exist");
        assertThat(run("load", "no-such-file", "-i", "x", "-t", "http://localhost:1", "--bulk-bytes", "abc"))
                .isEqualTo(2);
    }

    /** Verbs are made when they are named; the script is about all of them. */
    @Test
    void completionKnowsEveryVerb() {
        assertThat(run("generate-completion")).isZero();
        assertThat(out.toString()).contains("--bulk-bytes", "--fail-below", "--with-kafka");
    }

    @Test
    void aNodeThatCannotBeIsWrongUsage() {
        assertThat(run("node", "start", "--heap", "10")).isEqualTo(2);
        assertThat(run("node", "start", "--version", "1")).isEqualTo(2);
    }

    private int run(String... arguments) {
        CommandLine commandLine = Penstock.commandLine(Map.of(), arguments);
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return Penstock.run(commandLine, arguments);
    }
}
