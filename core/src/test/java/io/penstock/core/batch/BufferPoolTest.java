package io.penstock.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.document.Body;
import io.penstock.core.document.Document;
import io.penstock.core.document.Operation;
import io.penstock.core.document.Position;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Memory stays within the budget, whatever the sizes of documents. */
class BufferPoolTest {
    private static final long BUDGET = 16L * BufferPool.CHUNK_BYTES;

    private final BufferPool pool = new BufferPool(BUDGET);

    @Test
    void chunksAreKeptForTheNextBatch() throws Exception {
        useAllChunks();

        assertThat(pool.freeBytes()).isEqualTo(BUDGET);
        assertThat(pool.reservedBytes()).isZero();
    }

    @Test
    void aLargeDocumentTakesThePlaceOfFreeChunks() throws Exception {
        useAllChunks();
        var large = new byte[(int) (BUDGET / 2)];

        Batch batch = batchOf(large);

        assertThat(batch.bytes()).isGreaterThan(large.length);
        assertThat(pool.freeBytes() + pool.reservedBytes()).isLessThanOrEqualTo(BUDGET);
        batch.release();
        useAllChunks();
        assertThat(pool.freeBytes()).isEqualTo(BUDGET);
    }

    @Test
    void aDocumentLargerThanTheBudgetPassesAloneAndLeavesNoChunkBesideIt() throws Exception {
        useAllChunks();

        Batch batch = batchOf(new byte[(int) (2 * BUDGET)]);

        assertThat(pool.freeBytes()).isZero();
        batch.release();
        assertThat(pool.reservedBytes()).isZero();
    }

    private Batch batchOf(byte[] body) throws InterruptedException {
        var document = new Document(
                Operation.INDEX,
                "1",
                null,
                Document.NO_VERSION,
                null,
                null,
                Body.owned(List.of(body), body.length),
                Position.START);
        long bytes = Batcher.bytesFor(document);
        pool.reserve(bytes);
        var batcher = new Batcher(0, pool, bytes, bytes, "logs", false);
        batcher.add(document, "1", false);
        return batcher.close(Position.START);
    }

    private void useAllChunks() throws InterruptedException {
        pool.reserve(BUDGET);
        List<byte[]> chunks = new ArrayList<>();
        for (long bytes = 0; bytes < BUDGET; bytes += BufferPool.CHUNK_BYTES) {
            chunks.add(pool.takeChunk());
        }
        pool.release(BUDGET, chunks);
    }
}
