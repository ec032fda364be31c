package io.penstock.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.core.fate.Counts;
import io.penstock.job.ExitCode;
import io.penstock.realservers.RealCluster;
import io.penstock.testkit.proxy.Journal;
import io.penstock.testkit.seeds.NumberedDocuments;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Counts the proof of a load that came to its end, from a complete scan of the index, the dead letters, the report and
 * what the proxy saw. The letters are those of the failure matrix: L nothing lost, D no document twice, C each with the
 * content it had, P nothing that was never sent, X nothing both indexed and a dead letter, E the fate equation, K exit
 * code and report.
 */
public final class Ledgered {
    private final RealCluster cluster;
    private final NumberedDocuments documents;
    private final String index;

    /** For a load of {@code documents} into an index that was empty before. */
    public Ledgered(RealCluster cluster, NumberedDocuments documents, String index) {
        this.cluster = cluster;
        this.documents = documents;
        this.index = index;
    }

    /** Every document is in the index, once, and the load says so. */
    public void provesAllIndexed(LoadUnderTest.Outcome outcome) {
        provesAllButDead(outcome, Set.of());
    }

    /** Every document is in the index but these, which are dead letters. */
    public void provesAllButDead(LoadUnderTest.Outcome outcome, Set<Integer> dead) {
        provesAllBut(outcome, dead, Set.of());
    }

    /** As {@link #provesAllButDead}; these were dropped on the way by a rule of the index's own. */
    public void provesAllBut(LoadUnderTest.Outcome outcome, Set<Integer> dead, Set<Integer> dropped) {
        Counts counts = outcome.report().counts();
        assertThat(outcome.report().exit())
                .as("K: exit code; %s", outcome.messages())
                .isEqualTo(dead.isEmpty() ? ExitCode.OK : ExitCode.DEAD_LETTERS);
        assertThat(counts.addsUp()).as("E: %s", counts.equation()).isTrue();
        assertThat(counts.read()).as("E: everything was read").isEqualTo(documents.count());
        assertThat(counts.deadLettered()).as("E: dead letters").isEqualTo(dead.size());
        assertThat(counts.dropped()).as("E: dropped").isEqualTo(dropped.size());

        Set<Integer> letters = deadNumbers(outcome);
        assertThat(letters).as("dead letters").isEqualTo(dead);
        Set<Integer> observed = observed();
        Set<Integer> both = new HashSet<>(observed);
        both.retainAll(letters);
        assertThat(both).as("X: indexed and dead").isEmpty();

        Set<Integer> lost = new TreeSet<>(all());
        lost.removeAll(observed);
        lost.removeAll(letters);
        lost.removeAll(dropped);
        assertThat(lost).as("L: lost").isEmpty();
        assertThat(counts.indexed()).as("K: indexed in the report").isEqualTo(observed.size());
        assertThat(outcome.report().verified()).as("K: verified").hasValueSatisfying(verified -> {
            assertThat(verified.counted()).isEqualTo(observed.size());
            assertThat(verified.expected()).isEqualTo(observed.size());
        });
    }

    /** What holds also for a load that was stopped: nothing false, and nothing lost that the server acknowledged. */
    public void provesNothingFalse(LoadUnderTest.Outcome outcome, Journal journal) {
        assertThat(outcome.report().counts().addsUp())
                .as("E: %s", outcome.report().counts().equation())
                .isTrue();
        observed();
        provesAcknowledgedAreThere(journal);
    }

    /**
     * P and L from the proxy's side: acknowledged ids are in the index, and the index holds only ids that were sent.
     */
    public void provesAcknowledgedAreThere(Journal journal) {
        Set<String> ids = cluster.scan(index).stream()
                .map(hit -> hit.path("_id").asText())
                .collect(Collectors.toSet());
        assertThat(ids).as("L: acknowledged documents").containsAll(journal.acknowledgedIds());
        assertThat(journal.attemptedIds()).as("P: phantoms").containsAll(ids);
    }

    /** The numbers of the documents in the index, after each was held against what it must be. */
    public Set<Integer> observed() {
        Set<Integer> numbers = new TreeSet<>();
        for (JsonNode hit : cluster.scan(index)) {
            JsonNode source = hit.path("_source");
            assertThat(documents.isIntact(source)).as("C and P: %s", hit).isTrue();
            assertThat(numbers.add(source.path("n").asInt())).as("D: %s", hit).isTrue();
        }
        return numbers;
    }

    /** By line, as a document that is no JSON has no number. */
    public static Set<Integer> deadNumbers(LoadUnderTest.Outcome outcome) {
        List<Integer> numbers = outcome.letters().stream()
                .map(letter -> Math.toIntExact(letter.position().line()) - 1)
                .toList();
        Set<Integer> distinct = new TreeSet<>(numbers);
        assertThat(distinct).as("D: dead letters").hasSameSizeAs(numbers);
        return distinct;
    }

    private Set<Integer> all() {
        return java.util.stream.IntStream.range(0, documents.count()).boxed().collect(Collectors.toSet());
    }
}
