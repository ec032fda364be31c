package io.penstock.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.bench.BenchException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ExperimentFileTest {
    static final List<String> BUILT_IN = ExperimentFile.BUILT_IN;

    @ParameterizedTest
    @FieldSource("BUILT_IN")
    void whatComesWithPenstockCanBeReadAndPublishedFiguresBelongToItsCells(String name) {
        Experiment whole = ExperimentFile.read(name, false);
        Experiment quick = ExperimentFile.read(name, true);

        assertThat(whole.question()).endsWith("?");
        assertThat(quick.rounds()).isLessThanOrEqualTo(2);
        List<String> cells = whole.cells().stream().map(Cell::name).toList();
        assertThat(quick.cells()).allMatch(cell -> cells.contains(cell.name()));
        whole.published()
                .forEach(published ->
                        assertThat(cells).containsAll(published.values().keySet()));
        if (!name.equals("soak")) {
            assertThat(whole.rounds()).isGreaterThanOrEqualTo(5);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"every-size", "replicas", "slow-disk", "write-threads"})
    void furtherExperimentsAboutThePluginCanBeRead(String name) {
        assertThat(ExperimentFile.read("plugin/" + name + ".yaml", false).cells())
                .hasSizeGreaterThan(10);
    }

    @Test
    void variedFactorsAreCombinedAndEachGroupHasItsBaseline() {
        Experiment experiment = ExperimentFile.parse("x", """
                vary:
                  clients: [1, 2]
                cells:
                  plain: {}
                  fast: {index.refresh_interval: 30s}
                baseline: plain
                """, false);

        assertThat(experiment.cells())
                .extracting(Cell::name)
                .containsExactly("clients=1: plain", "clients=1: fast", "clients=2: plain", "clients=2: fast");
        Cell last = experiment.cells().getLast();
        assertThat(experiment.baselineOf(last).name()).isEqualTo("clients=2: plain");
        assertThat(last.setup().indexSettings()).containsEntry("index.refresh_interval", "30s");
        assertThat(last.setup().clients()).hasValue(2);
    }

    @Test
    void aQuickLookReplacesWhatItNames() {
        String file = """
                base: {duration: 60s, clients: "3"}
                vary: {bulk_documents: [10, 20, 30]}
                quick:
                  rounds: 1
                  base: {duration: 2s}
                  vary: {bulk_documents: [10]}
                """;
        Experiment quick = ExperimentFile.parse("x", file, true);

        assertThat(quick.rounds()).isEqualTo(1);
        assertThat(quick.cells()).singleElement().satisfies(cell -> {
            assertThat(cell.setup().seconds()).isEqualTo(2);
            assertThat(cell.setup().clients()).hasValue(3);
        });
        assertThat(ExperimentFile.parse("x", file, false).cells()).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            base: {colour: red}                       | x, line 1: colour: there is no factor 'colour'
            base:\\n  clients: many                    | x, line 2: clients: 'many' is no number from 1 to 1024
            base: {clients: window}                   | only 'loader: penstock' has a window
            vary:\\n  duration: [5s, soon]             | x, line 2: duration: 'soon' is no duration
            base: {workload: wikipedia}               | there is no workload 'wikipedia'
            base: {mapping: best}                     | mapping: 'best' is not possible: take dynamic
            vary: {clients: []}                       | x, line 1: vary.clients: expected a list of values
            measure: [speed]                          | there is no measure 'speed'
            colour: red                               | 'colour' is not known in an experiment: take about
            quick: {base: {}, measure: [x]}           | 'measure' is not known in quick: take base
            order: shufled                            | order: 'shufled' is not possible
            rounds: 0                                 | rounds: expected a number from 1
            vary: {clients: [1, 1]}                   | the same cell twice
            base: {options: --no-sniff}               | options: 'loader: clients' takes no notice of it
            base: {loader: bare}                      | documents: 'loader: bare' loads a number of documents
            base: {loader: server-reindex}            | documents: 'loader: server-reindex' loads a number of documents
            base: {loader: reindex, clients: 2}       | clients: 'loader: reindex' takes no notice of it
            base: {loader: fast}                      | loader: 'fast' is not possible: take bare, clients, penstock, reindex, server-reindex
            rounds: several                           | x, line 1: 'several' is no whole number
            cells: {a: {}}\\nbaseline: b               | baseline: there is no cell 'b': they are a
            base: [1                                  | x, line
            base: 5                                   | x, line 1: base: expected names and values
            """)
    void aMistakeIsNamedWithItsLine(String file, String message) {
        assertThatThrownBy(() -> ExperimentFile.parse("x", file.replace("\\n", "\n"), false))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining(message);
    }

    @Test
    void saysWhereExperimentsAreToBeFound() {
        assertThatThrownBy(() -> ExperimentFile.read("no-such", false))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("there is no experiment 'no-such': 'penstock bench list' shows");
    }
}
