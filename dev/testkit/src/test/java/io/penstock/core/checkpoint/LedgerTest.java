package io.penstock.core.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.batch.Batch;
import io.penstock.core.batch.Batcher;
import io.penstock.core.batch.BufferPool;
import io.penstock.core.document.Position;
import io.penstock.core.fate.Counts;
import io.penstock.core.source.Partition;
import io.penstock.testkit.seeds.Seeded;
import io.penstock.testkit.seeds.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

class LedgerTest {
    private static final int BATCHES = 40;

    private final BufferPool pool = new BufferPool(BufferPool.CHUNK_BYTES);

    /** The watermark: as far as everything has its end, and never past a batch that has not. */
    @Seeded(runs = 200)
    void theMarkMovesOverWhatIsSettledWithoutAGapInWhateverOrderBatchesEnd(Seeds seeds) {
        List<Partition> partitions = List.of(partition(0), partition(1));
        var ledger = new Ledger(
                partitions,
                partitions.stream()
                        .map(each -> new PartitionMark(each.name(), each.fingerprint(), Position.START, false))
                        .toList(),
                Counts.NONE);
        var open = new ArrayList<Batch>();
        var settled = new boolean[2][BATCHES];
        for (int number = 0; number < 2 * BATCHES; number++) {
            Batch batch = batch(number % 2, number / 2);
            ledger.open(batch);
            open.add(batch);
        }
        Collections.shuffle(open, new Random(seeds.longBetween(0, Long.MAX_VALUE)));
        boolean endFirst = seeds.chance(0.5);
        if (endFirst) {
            partitions.forEach(each -> ledger.endOfPartition(each.ordinal()));
        }
        for (Batch batch : open) {
            long before = ledger.revision();
            ledger.settle(batch, one());
            settled[batch.partition()][(int) batch.end().line() - 1] = true;
            int marked = 0;
            for (Partition each : partitions) {
                int gapless = gapless(settled[each.ordinal()]);
                PartitionMark mark = ledger.marks().get(each.ordinal());
                assertThat(mark.position().offset()).isEqualTo(gapless * 100L);
                assertThat(mark.done()).isEqualTo(endFirst && gapless == BATCHES);
                marked += gapless;
            }
            assertThat(ledger.marked().read()).as("counts belong to the marks").isEqualTo(marked);
            assertThat(ledger.revision()).isGreaterThanOrEqualTo(before);
        }
        partitions.forEach(each -> ledger.endOfPartition(each.ordinal()));
        assertThat(ledger.marks()).allMatch(PartitionMark::done);
        assertThat(ledger.settled()).isEqualTo(ledger.marked());
    }

    private static int gapless(boolean[] settled) {
        int first = 0;
        while (first < settled.length && settled[first]) {
            first++;
        }
        return first;
    }

    private static Partition partition(int ordinal) {
        return new Partition(ordinal, "p" + ordinal, 0, "id" + ordinal, "print" + ordinal);
    }

    private Batch batch(int partition, int number) {
        return new Batcher(partition, pool, 0, 1, "logs", false).close(new Position((number + 1) * 100L, number + 1));
    }

    private static Counts one() {
        return new Counts(1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0);
    }
}
