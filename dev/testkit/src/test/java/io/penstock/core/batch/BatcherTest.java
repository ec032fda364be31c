package io.penstock.core.batch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.core.document.Body;
import io.penstock.core.document.Document;
import io.penstock.core.document.Operation;
import io.penstock.core.document.Position;
import io.penstock.testkit.seeds.Seeded;
import io.penstock.testkit.seeds.Seeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The slicing of bulk bodies: whatever the documents and the borders of chunks, the bytes are the documents' own. */
class BatcherTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long BUDGET = 8L << 20;
    private static final int LIMIT = 400_000;

    private final BufferPool pool = new BufferPool(BUDGET);
    private final List<Document> documents = new ArrayList<>();
    private final List<byte[]> bodies = new ArrayList<>();

    @Seeded(runs = 100)
    void anySliceOfABatchIsTheBulkBodyOfItsDocuments(Seeds seeds) throws Exception {
        Batch batch = fill(seeds);

        assertThat(batch.itemCount()).isEqualTo(documents.size());
        var whole = new ByteArrayOutputStream();
        int[] all = IntStream.range(0, batch.itemCount()).toArray();
        batch.write(all, whole);
        assertThat((long) whole.size()).isEqualTo(batch.bytes()).isEqualTo(batch.bytes(all));

        int[] some = Arrays.stream(all).filter(item -> seeds.chance(0.4)).toArray();
        var slice = new ByteArrayOutputStream();
        batch.write(some, slice);
        assertThat((long) slice.size()).isEqualTo(batch.bytes(some));
        assertIsBulkBodyOf(some, slice.toByteArray());
        for (int item : some) {
            var document = new ByteArrayOutputStream();
            batch.writeDocument(item, document);
            assertThat(document.toByteArray()).isEqualTo(bodies.get(item));
        }
        batch.release();
        assertThat(pool.reservedBytes()).isZero();
    }

    private Batch fill(Seeds seeds) throws InterruptedException {
        pool.reserve(LIMIT + BufferPool.CHUNK_BYTES);
        var batcher = new Batcher(0, pool, LIMIT + BufferPool.CHUNK_BYTES, LIMIT, "logs", false);
        for (Document next = document(seeds); batcher.hasRoomFor(next); next = document(seeds)) {
            batcher.add(next, String.valueOf(next.id()), false);
            documents.add(next);
            bodies.add(next.body().toBytes());
            if (batcher.isFull()) {
                break;
            }
        }
        return batcher.close(new Position(1, 1));
    }

    private static Document document(Seeds seeds) {
        Operation operation = seeds.pick(List.of(Operation.values()));
        byte[] bytes = operation.hasBody()
                ? seeds.jsonObject(seeds.chance(0.1) ? 200_000 : seeds.intBetween(1, 2_000))
                        .getBytes(UTF_8)
                : new byte[0];
        byte[] inBuffer = new byte[bytes.length + 7];
        System.arraycopy(bytes, 0, inBuffer, 3, bytes.length);
        int cut = bytes.length / 3;
        Body body = bytes.length == 0
                ? Body.EMPTY
                : bytes.length < 100_000
                        ? Body.borrowed(inBuffer, 3, bytes.length)
                        : Body.owned(
                                List.of(Arrays.copyOf(bytes, cut), Arrays.copyOfRange(bytes, cut, bytes.length)),
                                bytes.length);
        return new Document(
                operation,
                seeds.unicodeText(1, 30),
                seeds.chance(0.3) ? seeds.unicodeText(1, 10) : null,
                seeds.chance(0.3) ? seeds.longBetween(0, Long.MAX_VALUE) : Document.NO_VERSION,
                seeds.chance(0.2) ? "other" : null,
                null,
                body,
                new Position(seeds.longBetween(0, 1L << 40), 1));
    }

    /** Reads it as a server does: an action line, and a body line unless it is a delete. */
    private void assertIsBulkBodyOf(int[] items, byte[] bulk) throws IOException {
        var lines = new ArrayList<byte[]>();
        int from = 0;
        for (int i = 0; i < bulk.length; i++) {
            if (bulk[i] == '\n') {
                lines.add(Arrays.copyOfRange(bulk, from, i));
                from = i + 1;
            }
        }
        assertThat(from).as("ends with a line end").isEqualTo(bulk.length);
        var line = lines.iterator();
        for (int item : items) {
            Document document = documents.get(item);
            JsonNode action = JSON.readTree(line.next());
            JsonNode address = action.path(document.operation().actionName());
            assertThat(address.path("_id").asText()).isEqualTo(document.id());
            assertThat(address.path("routing").textValue()).isEqualTo(document.routing());
            assertThat(address.path("_index").textValue()).isEqualTo(document.index());
            assertThat(address.path("version").asLong(Document.NO_VERSION)).isEqualTo(document.version());
            if (document.operation().hasBody()) {
                assertThat(line.next()).isEqualTo(bodies.get(item));
            }
        }
        assertThat(line.hasNext()).isFalse();
    }

    @Seeded(runs = 50)
    void aBatchStaysBelowItsLimitUnlessOneDocumentAloneIsLarger(Seeds seeds) throws Exception {
        Batch batch = fill(seeds);
        if (batch.itemCount() > 1) {
            assertThat(batch.bytes()).isLessThanOrEqualTo(LIMIT);
        }
    }

    @Test
    void chunksAreUsedAgainAlsoWhenTheBudgetWasUsedUp() throws Exception {
        pool.reserve(BUDGET);
        byte[] first = pool.takeChunk();
        pool.release(BUDGET, List.of(first));
        assertThat(pool.takeChunk()).isSameAs(first);
    }
}
