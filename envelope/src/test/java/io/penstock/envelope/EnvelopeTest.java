package io.penstock.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvelopeTest {
    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    private static final long PLENTY = 1L << 40;

    private final ModelIndex index = new ModelIndex();
    private final List<String> told = new ArrayList<>();

    @Test
    void changesSettingsForTheLoadAndPutsEachBackAsItWas() {
        index.settings.put("index.refresh_interval", "7s");
        var original = new TreeMap<>(index.settings);

        Envelope envelope = open("a", NOON);
        assertThat(index.settings)
                .containsEntry("index.refresh_interval", "-1")
                .containsEntry("index.number_of_replicas", "0")
                .containsEntry("index.translog.durability", "async")
                .containsEntry("index.translog.flush_threshold_size", "2048mb");
        assertThat(envelope.close()).isInstanceOf(Envelope.Ending.Restored.class);

        assertThat(index.settings).as("what was not set is not set").isEqualTo(original);
        assertThat(index.journal).isEmpty();
        assertThat(told).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCrashAtAnyCallLeavesWhatRecoverPutsBack(boolean afterEffect) {
        int calls = 1;
        for (boolean crashed = true; crashed; calls++) {
            var survivor = new ModelIndex();
            survivor.clusterSettings.put("indices.recovery.max_bytes_per_sec", "40mb");
            var original = new TreeMap<>(survivor.settings);
            var originalCluster = new TreeMap<>(survivor.clusterSettings);
            survivor.callsUntilCrash = calls;
            survivor.crashAfterEffect = afterEffect;
            try {
                wholeLife(survivor);
                crashed = false;
            } catch (ModelIndex.Crash crash) {
                // The next process finds what this one left.
            }
            survivor.callsUntilCrash = Integer.MAX_VALUE;
            if (crashed) {
                Envelope.recover(survivor);
            }
            assertThat(survivor.settings).as("call %d", calls).isEqualTo(original);
            assertThat(survivor.clusterSettings).as("call %d", calls).isEqualTo(originalCluster);
            assertThat(survivor.journal).as("call %d", calls).isEmpty();
            assertThat(Envelope.recover(survivor)).as("again").isEqualTo(new Envelope.Ending.Nothing());
        }
        assertThat(calls).as("calls in a whole life").isGreaterThan(10);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCrashWhileRecoveringIsMendedByRecoveringAgain(boolean afterEffect) {
        for (int call = 1; call <= 4; call++) {
            var survivor = new ModelIndex();
            var original = new TreeMap<>(survivor.settings);
            Envelope envelope = open(survivor, "a", NOON);
            envelope.openReplicaStep(LoadSettings.ofReplicaStep(), told::add);
            survivor.callsUntilCrash = call;
            survivor.crashAfterEffect = afterEffect;
            try {
                Envelope.recover(survivor);
            } catch (ModelIndex.Crash crash) {
                survivor.callsUntilCrash = Integer.MAX_VALUE;
                Envelope.recover(survivor);
            }
            assertThat(survivor.settings).isEqualTo(original);
            assertThat(survivor.clusterSettings).isEmpty();
        }
    }

    private void wholeLife(ModelIndex survivor) {
        Envelope envelope = open(survivor, "a", NOON);
        envelope.beat(NOON.plus(Journal.BEAT));
        envelope.restoreIndexSettings();
        envelope.openReplicaStep(LoadSettings.ofReplicaStep(), told::add);
        envelope.close();
    }

    @Test
    void whatSomebodyChangedDuringTheLoadStays() {
        Envelope envelope = open("a", NOON);
        index.settings.put("index.refresh_interval", "3s");
        index.settings.remove("index.translog.durability");

        var ending = (Envelope.Ending.Restored) envelope.close();

        assertThat(ending.theirs()).containsExactly(Map.entry("index.refresh_interval", "3s"));
        assertThat(index.settings)
                .containsOnly(Map.entry("index.refresh_interval", "3s"), Map.entry("index.number_of_replicas", "2"));
    }

    @Test
    void aSecondLoadIsRefusedWhileTheFirstLives() {
        Envelope first = open("a", NOON);
        first.beat(NOON.plusSeconds(60));
        assertThatThrownBy(
                        () -> open("b", NOON.plusSeconds(60).plus(Journal.ALIVE).minusSeconds(1)))
                .isInstanceOf(EnvelopeHeldException.class)
                .hasMessageContaining("load a on here, begun 2026-11-21T12:00:00Z");
    }

    @Test
    void aLoadAfterADeadOnePutsBackTheValuesFromBeforeTheFirst() {
        var original = new TreeMap<>(index.settings);
        open("a", NOON);

        Envelope second = open("b", NOON.plus(Journal.ALIVE).plus(Duration.ofSeconds(1)));
        assertThat(told).singleElement().asString().contains("load a on here", "left behind");
        second.close();

        assertThat(index.settings).isEqualTo(original);
    }

    @Test
    void theSameLoadOnTheSameMachineNeedsNoWaitAfterACrash() {
        var original = new TreeMap<>(index.settings);
        open("a", NOON);
        open("a", NOON.plusSeconds(1)).close();
        assertThat(index.settings).isEqualTo(original);
    }

    @Test
    void aRefusedSettingIsToldAndSkipped() {
        index.refused.add("index.translog.sync_interval");
        var original = new TreeMap<>(index.settings);
        Envelope envelope = open("a", NOON);
        assertThat(told).singleElement().asString().contains("index.translog.sync_interval=60s", "not allowed here");
        assertThat(index.settings).containsEntry("index.refresh_interval", "-1");
        envelope.close();
        assertThat(index.settings).isEqualTo(original);
    }

    @Test
    void whatCannotBePutBackNowStaysPendingWithTheRequestToPaste() {
        var original = new TreeMap<>(index.settings);
        Envelope envelope = open("a", NOON);
        index.refused.add("index.number_of_replicas");

        var pending = (Envelope.Ending.Pending) envelope.close();
        assertThat(pending.request()).startsWith("PUT /logs/_settings");
        assertThat(index.journal).isPresent();

        index.refused.clear();
        assertThat(envelope.close()).isInstanceOf(Envelope.Ending.Restored.class);
        assertThat(index.settings).isEqualTo(original);
    }

    @Test
    void replicasThatExpandByThemselvesDoSoAgain() {
        index.settings.put("index.auto_expand_replicas", "0-1");
        var original = new TreeMap<>(index.settings);
        Envelope envelope = open("a", NOON);
        assertThat(index.settings).containsEntry("index.auto_expand_replicas", "false");
        envelope.close();
        assertThat(index.settings).isEqualTo(original);
    }

    @Test
    void anIndexThatIsGoneHasNothingToPutBack() {
        Envelope envelope = open("a", NOON);
        index.gone = true;
        assertThat(envelope.close()).isInstanceOf(Envelope.Ending.Gone.class);
    }

    @Test
    void aTakenOverEnvelopeIsLeftToItsNewOwner() {
        Envelope first = open("a", NOON);
        open("b", NOON.plus(Journal.ALIVE).plusSeconds(1));
        first.beat(NOON.plus(Journal.ALIVE).plusSeconds(2));
        assertThat(first.close()).isInstanceOf(Envelope.Ending.Nothing.class);
        assertThat(index.journal.orElseThrow().job()).isEqualTo("b");
        assertThat(index.settings).containsEntry("index.refresh_interval", "-1");
    }

    @Test
    void theReplicaStepLeavesClusterSettingsAloneThatAnotherLoadHasChanged() {
        Envelope envelope = open("a", NOON);
        index.changedElsewhere = true;
        envelope.openReplicaStep(LoadSettings.ofReplicaStep(), told::add);
        assertThat(index.clusterSettings).isEmpty();
    }

    @Test
    void theFlushThresholdIsBoundedByHeapAndDisk() {
        assertThat(LoadSettings.of(Map.of(), 2L << 30, PLENTY, true))
                .containsEntry("index.translog.flush_threshold_size", "1024mb");
        assertThat(LoadSettings.of(Map.of(), PLENTY, 10L << 30, true))
                .as("the server's own default is no less")
                .doesNotContainKey("index.translog.flush_threshold_size");
    }

    /** A cluster may carry out what it did not answer in time. */
    @Test
    void aChangeWhoseAnswerIsLostIsPutBack() {
        Map<String, String> before = Map.copyOf(index.settings);
        var owner = new Journal("a", "here", "a", NOON, NOON, Map.of(), Map.of());
        Envelope envelope =
                Envelope.open(index, owner, LoadSettings.of(index.settings, PLENTY, PLENTY, true), told::add);
        index.callsUntilCrash = 1;
        index.crashAfterEffect = true;
        assertThatThrownBy(() -> envelope.putOn(told::add)).isInstanceOf(ModelIndex.Crash.class);
        assertThat(index.settings).isNotEqualTo(before);

        envelope.close();

        assertThat(index.settings).isEqualTo(before);
        assertThat(index.journal).isEmpty();
    }

    @Test
    void anAbandonedEnvelopeIsNotTakenForAlive() {
        Envelope envelope = open("a", NOON);

        envelope.abandon();

        assertThat(index.journal).get().matches(journal -> !journal.isAliveAt(NOON));
        assertThat(Envelope.recover(index)).isInstanceOf(Envelope.Ending.Restored.class);
    }

    private Envelope open(String job, Instant now) {
        return open(index, job, now);
    }

    private Envelope open(ModelIndex on, String job, Instant now) {
        var owner = new Journal(job, "here", job + now, now, now, Map.of(), Map.of());
        Envelope envelope = Envelope.open(on, owner, LoadSettings.of(on.settings, PLENTY, PLENTY, true), told::add);
        envelope.putOn(told::add);
        return envelope;
    }
}
