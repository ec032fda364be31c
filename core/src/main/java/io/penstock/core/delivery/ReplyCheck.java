package io.penstock.core.delivery;

import io.penstock.core.batch.Batch;
import java.util.List;

/**
 * Holds a reply against what was sent. A reply counts only when it has one entry for each item, in the same order, with
 * the same operation and id: servers and middle boxes have been seen to answer with fewer, more and other items.
 */
final class ReplyCheck {
    private ReplyCheck() {}

    /** What does not match, in words, or the empty text. */
    static String mismatch(Batch batch, int[] sent, List<ItemReply> replies) {
        if (replies.size() != sent.length) {
            return "the reply has %,d items for %,d sent".formatted(replies.size(), sent.length);
        }
        for (int i = 0; i < sent.length; i++) {
            ItemReply reply = replies.get(i);
            if (!batch.operation(sent[i]).actionName().equals(reply.operation())) {
                return "item %d of the reply is '%s', '%s' was sent"
                        .formatted(
                                i, reply.operation(), batch.operation(sent[i]).actionName());
            }
            String id = batch.id(sent[i]);
            if (!id.isEmpty() && !id.equals(reply.id())) {
                return "item %d of the reply is about id '%s', '%s' was sent".formatted(i, reply.id(), id);
            }
        }
        return "";
    }
}
