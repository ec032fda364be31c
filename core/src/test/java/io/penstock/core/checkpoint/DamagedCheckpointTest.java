package io.penstock.core.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.core.document.Position;
import io.penstock.core.fate.Counts;
import io.penstock.core.state.StateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Row 95: whatever happens to a checkpoint's bytes, no run goes on from a place that was never written down. */
class DamagedCheckpointTest {
    private static final Checkpoint OLDER = checkpoint(1_000);
    private static final Checkpoint NEWER = checkpoint(2_000);

    private static Checkpoint checkpoint(long offset) {
        return new Checkpoint(
                Map.of("index-uuid", "qK3\t\\n", "options", "format=auto"),
                List.of(
                        new PartitionMark("größe \uFFFD.ndjson", "1:2:abc", new Position(offset, offset / 10), false),
                        new PartitionMark("second.gz", "3:4:def", Position.START, true)),
                Counts.NONE);
    }

    @Test
    void wholeOneIsReadAsItWasWritten() {
        assertThat(Checkpoint.parse(NEWER.toBytes())).contains(NEWER);
    }

    @Test
    void anyFlippedBitIsNoticed() {
        byte[] whole = NEWER.toBytes();
        for (int index = 0; index < whole.length; index++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] damaged = whole.clone();
                damaged[index] ^= (byte) (1 << bit);
                assertThat(Checkpoint.parse(damaged))
                        .as("byte %d, bit %d", index, bit)
                        .isEmpty();
            }
        }
    }

    @Test
    void anyTruncationIsNoticed() {
        byte[] whole = NEWER.toBytes();
        for (int length = 0; length < whole.length; length++) {
            assertThat(Checkpoint.parse(Arrays.copyOf(whole, length)))
                    .as("%d bytes", length)
                    .isEmpty();
        }
    }

    @Test
    void anyTailIsNoticed() {
        byte[] whole = NEWER.toBytes();
        for (byte tail : new byte[] {0, '\n', 'x'}) {
            byte[] longer = Arrays.copyOf(whole, whole.length + 1);
            longer[whole.length] = tail;
            assertThat(Checkpoint.parse(longer)).as("tail %d", tail).isEmpty();
        }
    }

    @Test
    void damagedOneGivesWayToTheOneBefore(@TempDir Path folder) throws IOException {
        CheckpointStore store = written(folder);
        byte[] whole = Files.readAllBytes(store.file());
        for (int length = 0; length < whole.length; length += 7) {
            Files.write(store.file(), Arrays.copyOf(whole, length));
            assertThat(store.read()).as("%d bytes", length).contains(OLDER);
        }
        Files.delete(store.file());
        assertThat(store.read()).contains(OLDER);
    }

    @Test
    void twoDamagedOnesAreRefusedAndNotTakenForNone(@TempDir Path folder) throws IOException {
        CheckpointStore store = written(folder);
        Files.write(store.file(), new byte[0]);
        Files.write(folder.resolve("checkpoint.previous"), new byte[] {1});
        assertThatThrownBy(store::read)
                .isInstanceOfSatisfying(
                        StateException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(StateException.Reason.UNREADABLE))
                .hasMessageContaining("--restart");
    }

    private static CheckpointStore written(Path folder) {
        CheckpointStore store = new CheckpointStore(folder);
        assertThat(store.read()).isEmpty();
        store.write(OLDER);
        store.write(NEWER);
        assertThat(store.read()).contains(NEWER);
        return store;
    }
}
