package io.penstock.bench.experiment;

import java.util.List;
import java.util.Map;

/**
 * What is to be measured, how often, and what to compare it with.
 *
 * @param name of the file
 * @param question what it answers, in a sentence
 * @param about where it comes from and what to know about it; may be empty
 * @param cells in the order of the file
 * @param baselines what the cells of each group are compared with
 * @param measures what tables show; the first is what the summary speaks of
 * @param rounds how often each cell is measured
 * @param untilRejectedPercent a round ends early at the first cell that rejects more; 100 for never
 * @param text the file as it was read
 */
public record Experiment(
        String name,
        String question,
        String about,
        List<Cell> cells,
        Map<String, Cell> baselines,
        List<Measure> measures,
        int rounds,
        long seed,
        boolean shuffled,
        double untilRejectedPercent,
        List<Published> published,
        String text) {
    public Experiment {
        cells = List.copyOf(cells);
        baselines = Map.copyOf(baselines);
        measures = List.copyOf(measures);
        published = List.copyOf(published);
    }

    /** The same with other rounds. */
    public Experiment withRounds(int others) {
        return new Experiment(
                name,
                question,
                about,
                cells,
                baselines,
                measures,
                others,
                seed,
                shuffled,
                untilRejectedPercent,
                published,
                text);
    }

    /** What a cell is compared with; for a baseline itself. */
    public Cell baselineOf(Cell cell) {
        return baselines.getOrDefault(cell.group(), cells.getFirst());
    }

    public boolean isBaseline(Cell cell) {
        return baselineOf(cell).name().equals(cell.name());
    }
}
