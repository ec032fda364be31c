package io.penstock.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.bench.experiment.Cell;
import io.penstock.bench.experiment.ExperimentFile;
import io.penstock.bench.experiment.Setup;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LoadProcessTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** As the bare loader's is: neither has the start of its JVM or the count at the end in it. */
    @Test
    void theRateOfAWholeLoadIsOverTheTimeOfLoadingAndItsSecondsAreAllOfIt() throws Exception {
        JsonNode summary = JSON.readTree("""
                {"documents": {"indexed": 1000, "deadLettered": 0}, "seconds": {"total": 5.0, "load": 4.0, "finish": 0.5},
                 "requests": {"p50Ms": 10, "p99Ms": 20}, "window": {}}""");

        Loaded loaded = LoadProcess.loaded(outcome(summary, List.of()), setup("documents: 1000, clients: window"));

        assertThat(loaded.trouble()).isNull();
        assertThat(loaded.measured() / loaded.seconds()).isEqualTo(250);
        assertThat(loaded.wholeSeconds()).isEqualTo(6);
    }

    @Test
    void theRateOfALoadInSteadyStateIsThatBetweenTheFirstAndTheLastReportBehindTheWarmUp() throws Exception {
        JsonNode summary = JSON.readTree("""
                {"documents": {"indexed": 9000, "deadLettered": 0}, "seconds": {"total": 8.0, "load": 7.0}, "requests": {}}""");
        List<JsonNode> progress = List.of(report(1, 100), report(2, 1_000), report(4, 5_000), report(7, 9_000));

        Loaded loaded =
                LoadProcess.loaded(outcome(summary, progress), setup("warm_up: 2s, duration: 2s, clients: window"));

        assertThat(loaded.measured()).isEqualTo(4_000);
        assertThat(loaded.seconds()).isEqualTo(2);
    }

    private static JsonNode report(int seconds, int acknowledged) {
        return JSON.createObjectNode().put("seconds", seconds).put("acknowledged", acknowledged);
    }

    private static Child.Outcome outcome(JsonNode summary, List<JsonNode> progress) {
        return new Child.Outcome(0, summary, progress, List.of(), 6, 1, 1);
    }

    private static Setup setup(String factors) {
        Cell cell = ExperimentFile.parse("x", "base: {loader: penstock, " + factors + "}", false)
                .cells()
                .getFirst();
        return cell.setup();
    }
}
