package io.penstock.bench.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.bench.BenchException;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.ExperimentFile;
import io.penstock.bench.experiment.Measure;
import io.penstock.bench.trial.TrialResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReportTest {
    private static final String FILE = """
            question: Is b faster than </script>?
            cells:
              a: {}
              b: {}
              c: {}
            measure: [docs_per_second, p99_ms]
            published:
              - {source: Somebody, unit: docs/s, values: {a: 100, b: 250}}
            """;

    @Test
    void saysWhatIsBetterWorseAndNotDifferent() {
        Result result = result(List.of(100.0, 110.0, 90.0), List.of(200.0, 215.0, 190.0), List.of(99.0, 112.0, 90.5));

        assertThat(result.summary())
                .startsWith("Documents/s, times the baseline. Better: b (2.00, ")
                .contains("No difference shown: c (");
        assertThat(Report.markdown(result))
                .contains("| b | 200 | 190 to 215 | 2.00 | 1.95 to 2.11 | better | 250 (2.50) |")
                .contains("| a | 100 | 90 to 110 | baseline |  |  | 100 |");
        assertThat(Report.csv(result)).contains("docs_per_second,b,3,200.000,190.000,215.000,2.00000,1.95455,2.11111");
    }

    @Test
    void whereRejectionsEndARoundTheCapacityIsTheMostBelowThem() {
        Experiment experiment = ExperimentFile.parse("x", """
                vary: {clients: [1, 2, 4]}
                until_rejected_percent: 5
                measure: [docs_per_second, rejected_percent]
                """, false);
        List<TrialResult> trials = List.of(
                rejecting("clients=1", 100, 0), rejecting("clients=2", 180, 4.9), rejecting("clients=4", 190, 30));

        assertThat(new Result(experiment, false, Map.of(), "again", trials).summary())
                .endsWith(" Capacity: 180 documents/s, by clients=2, the most with at most 5.00% rejected.");
        assertThat(new Result(experiment, false, Map.of(), "again", trials.subList(2, 3)).summary())
                .endsWith(" Capacity: less than any cell asks for.");
        assertThat(new Result(experiment, false, Map.of(), "again", List.of(trial("clients=1", 1, 100))).summary())
                .doesNotContain("Capacity");
    }

    @Test
    void aRunThatDoesNotCountIsToldAndNotCounted() {
        List<TrialResult> trials = new ArrayList<>();
        trials.add(trial("a", 1, 100));
        trials.add(unusable("b", 1));
        trials.add(trial("b", 1, 200)); // the second try
        trials.add(trial("a", 2, 100));
        trials.add(unusable("b", 2));
        var result = new Result(ExperimentFile.parse("x", FILE, false), false, Map.of(), "again", trials);

        assertThat(result.of(result.experiment().cells().get(1), Measure.DOCS_PER_SECOND))
                .hasValue(new Interval(200, 200, 200, 1));
        assertThat(result.unusable())
                .singleElement()
                .extracting(TrialResult::round)
                .isEqualTo(2);
        assertThat(Report.markdown(result)).contains("## Not counted\n\n- b, round 2: a node began anew");
    }

    @Test
    void thePageNeedsNoNetworkAndCannotBeBrokenByWords() throws IOException {
        String page = Report.html(result(List.of(1.0), List.of(2.0), List.of(3.0)));

        assertThat(page).doesNotContain("REPORT_DATA", "/*UPLOT", "<link", "src=");
        assertThat(page.split("</script>", -1)).hasSize(4);
        assertThat(page).contains("Is b faster than \\u003c/script>?");
    }

    @Test
    void aResultIsReadAsItWasWritten(@TempDir Path folder) throws IOException {
        Result written = result(List.of(100.0, 110.0), List.of(200.0, 215.0), List.of(99.0, 112.0));
        Report.write(written, folder);
        Result read = ResultFile.read(folder);

        assertThat(ResultFile.json(read)).isEqualTo(ResultFile.json(written));
        assertThat(folder.resolve("report.html")).isNotEmptyFile();
        assertThat(folder.resolve("report.md")).isNotEmptyFile();
        assertThat(ResultFile.read(folder.resolve("result.json")).trials()).hasSize(6);
    }

    @Test
    void saysSoOfAFileThatIsNoResult(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("result.json"), "{}");

        assertThatThrownBy(() -> ResultFile.read(folder))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("is no result");
        assertThatThrownBy(() -> ResultFile.read(folder.resolve("none")))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("there is no result");
    }

    @Test
    void comparesTwoResultsCellByCell() {
        Result before = result(List.of(100.0, 101.0, 99.0), List.of(100.0, 101.0, 99.0), List.of(100.0, 90.0, 120.0));
        Result after = result(List.of(100.0, 102.0, 98.0), List.of(80.0, 81.0, 79.0), List.of(95.0, 90.0, 118.0));
        var comparison = new Comparison(before, after);

        assertThat(comparison.markdown())
                .contains("| b | 100 | 80 | 0.80 |")
                .contains("worse")
                .contains("no difference shown");
        assertThat(comparison.failure(0.9))
                .hasValueSatisfying(why -> assertThat(why).startsWith("b has 0.80, "));
        assertThat(comparison.failure(0.7)).isEmpty();
        assertThat(new Comparison(before, before).failure(1)).isEmpty();
    }

    private static Result result(List<Double> a, List<Double> b, List<Double> c) {
        List<TrialResult> trials = new ArrayList<>();
        for (int round = 1; round <= a.size(); round++) {
            trials.add(trial("a", round, a.get(round - 1)));
            trials.add(trial("b", round, b.get(round - 1)));
            trials.add(trial("c", round, c.get(round - 1)));
        }
        return new Result(ExperimentFile.parse("x", FILE, false), false, Map.of("machine", "small"), "again", trials);
    }

    private static TrialResult trial(String cell, int round, double rate) {
        return new TrialResult(
                cell,
                round,
                Map.of(Measure.DOCS_PER_SECOND, rate),
                List.of(new double[] {50, 1.5}),
                Map.of("documents/s", List.of(new double[] {1, rate}, new double[] {2, rate})),
                "",
                Optional.empty());
    }

    private static TrialResult rejecting(String cell, double rate, double percent) {
        return new TrialResult(
                cell,
                1,
                Map.of(Measure.DOCS_PER_SECOND, rate, Measure.REJECTED_PERCENT, percent),
                List.of(),
                Map.of(),
                "",
                Optional.empty());
    }

    private static TrialResult unusable(String cell, int round) {
        return new TrialResult(
                cell, round, Map.of(), List.of(), Map.of(), "", Optional.of("a node began anew or left"));
    }
}
