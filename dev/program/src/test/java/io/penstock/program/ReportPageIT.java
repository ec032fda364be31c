package io.penstock.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.penstock.bench.experiment.ExperimentFile;
import io.penstock.bench.experiment.Measure;
import io.penstock.bench.result.Report;
import io.penstock.bench.result.Result;
import io.penstock.bench.trial.TrialResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of an experiment in a real browser, without a network. */
class ReportPageIT {
    @TempDir
    Path folder;

    @Test
    void opensAndDrawsItsCurvesWithoutAnError() throws Exception {
        Optional<Path> browser = Stream.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
        assumeThat(browser).as("no Chromium is installed").isPresent();
        Path page = Files.writeString(folder.resolve("report.html"), Report.html(result()));
        Path errors = folder.resolve("browser.log");
        Process process = new ProcessBuilder(
                        browser.get().toString(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--enable-logging=stderr",
                        "--user-data-dir=" + folder.resolve("profile"),
                        "--virtual-time-budget=4000",
                        "--dump-dom",
                        page.toUri().toString())
                .redirectError(errors.toFile())
                .start();
        String shown = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();

        assertThat(Files.readString(errors)).doesNotContain("CONSOLE");
        // Two curves that compare cells, and two strips of the first cell.
        assertThat(shown).contains("data-plots=\"4\"").contains("<td>fast &lt;b&gt;</td>");
    }

    private static Result result() throws IOException {
        var experiment = ExperimentFile.parse("page", """
                question: Does the page open?
                cells: {plain: {}, "fast <b>": {}}
                rounds: 1
                """, false);
        return new Result(
                experiment,
                true,
                Map.of("machine", "any"),
                "again",
                experiment.cells().stream().map(cell -> trial(cell.name())).toList());
    }

    private static TrialResult trial(String cell) {
        List<double[]> curve = List.of(new double[] {1, 10}, new double[] {2, 30}, new double[] {3, 20});
        return new TrialResult(
                cell,
                1,
                Map.of(Measure.DOCS_PER_SECOND, 20.0, Measure.P99_MS, 3.0),
                List.of(new double[] {50, 1}, new double[] {99, 3}, new double[] {100, 9}),
                Map.of("documents/s", curve, "write queue", curve),
                "",
                Optional.empty());
    }
}
