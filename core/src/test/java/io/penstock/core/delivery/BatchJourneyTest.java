package io.penstock.core.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.batch.Batch;
import io.penstock.core.batch.Batcher;
import io.penstock.core.batch.BufferPool;
import io.penstock.core.document.Body;
import io.penstock.core.document.Document;
import io.penstock.core.document.Operation;
import io.penstock.core.document.Position;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BatchJourneyTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long MINUTE = 60 * SECOND;

    private final BatchJourney journey = new BatchJourney(
            oneDocument(), new DeliveryPolicy(Backoff.DEFAULT, 0, Duration.ZERO, false), new Random(1), 0);
    private long now;

    @Test
    void aDocumentAloneThatKeepsFailingWhileOthersPassIsPoison() {
        int failures = 0;
        while (!(step() instanceof Step.Settled)) {
            assertThat(failures).isLessThan(50);
            fails(now);
            failures++;
        }
        assertThat(failures).isEqualTo(BatchJourney.POISON_AFTER + 1); // others have not passed since before the first
    }

    /** Also when others passed just after it had begun: then comes an outage, and whatever is sent fails. */
    @Test
    void aDocumentAloneIsNotPoisonForWhatFailedInAnOutage() {
        fails(0);
        fails(now);
        for (int i = 0; i < 5 * BatchJourney.POISON_AFTER; i++) {
            fails(0);
        }
        fails(now);

        assertThat(step()).isInstanceOf(Step.Send.class);
    }

    /** @param lastSuccess when others passed, and nothing has failed since */
    private void fails(long lastSuccess) {
        assertThat(step()).isInstanceOf(Step.Send.class);
        journey.onReply(new BulkReply.NoAnswer(BulkReply.Cause.CLOSED, "closed"), now, lastSuccess);
    }

    private Step step() {
        now += 5 * MINUTE; // longer than any back-off
        return journey.next(now);
    }

    private static Batch oneDocument() {
        byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
        var batcher = new Batcher(0, new BufferPool(1 << 20), 0, 1 << 20, "logs", false);
        batcher.add(
                new Document(
                        Operation.INDEX,
                        "1",
                        null,
                        Document.NO_VERSION,
                        null,
                        null,
                        Body.owned(List.of(body), body.length),
                        Position.START),
                "1",
                false);
        return batcher.close(new Position(3, 1));
    }
}
