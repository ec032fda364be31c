package io.penstock.core.delivery;

import io.penstock.core.batch.Batch;
import io.penstock.core.fate.Counts;
import java.util.List;

/**
 * The end of a batch: one fate for each of its documents.
 *
 * @param counts how many ended where; adds up by itself
 * @param rejections the rejected items, in order; the batch's bad documents come on top
 */
public record Settlement(Batch batch, Counts counts, List<Rejection> rejections) {
    public Settlement {
        if (!counts.addsUp() || counts.read() != batch.documentCount()) {
            throw new IllegalStateException(
                    "a batch of %d documents ended as %s".formatted(batch.documentCount(), counts.equation()));
        }
    }
}
