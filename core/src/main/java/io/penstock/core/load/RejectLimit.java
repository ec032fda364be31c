package io.penstock.core.load;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Stops a load before nearly all of it lands in the dead letters. Without a number of one's own: a thousand in a row,
 * or more than half of the last thousand documents, for the same reason. With one: more dead letters than that.
 *
 * <p>Reasons count as the same when they differ only in numbers and quoted words. Used by one thread.
 */
public final class RejectLimit {
    private static final int SPAN = 1000;
    private static final int KINDS_MAX = 1000;

    private final long total;
    private final Map<String, Integer> kinds = new HashMap<>();
    private final int[] recent = new int[SPAN];
    private final int[] inSpan = new int[KINDS_MAX + 2];
    private int next;
    private int seen;
    private int lastKind;
    private int inARow;
    private long rejected;

    private RejectLimit(long total) {
        this.total = total;
    }

    /** The two rules that need no number. */
    public static RejectLimit ofOneKind() {
        return new RejectLimit(-1);
    }

    /** At most {@code total} dead letters, of whatever kind, counting those of earlier runs of the job. */
    public static RejectLimit total(long total, long alreadyRejected) {
        var limit = new RejectLimit(total);
        limit.rejected = alreadyRejected;
        return limit;
    }

    /** So many documents were taken. */
    public void onAccepted(int documents) {
        if (documents > 0) {
            inARow = 0;
            lastKind = 0;
        }
        for (int i = 0; i < Math.min(documents, SPAN); i++) {
            push(0);
        }
    }

    /** One document was rejected. Gives the sentence that stops the load, once there is one. */
    public Optional<String> onRejected(String type, String reason) {
        int kind = kind(type, reason);
        inARow = kind == lastKind ? inARow + 1 : 1;
        lastKind = kind;
        rejected++;
        push(kind);
        if (total >= 0) {
            return rejected > total
                    ? Optional.of("more than %,d documents were rejected (--max-rejects), the last: %s, %s"
                            .formatted(total, type, brief(reason)))
                    : Optional.empty();
        }
        if (inARow >= SPAN) {
            return Optional.of("%,d documents in a row were rejected for one reason: %s, %s"
                    .formatted(inARow, type, brief(reason)));
        }
        if (seen >= SPAN && inSpan[kind] > SPAN / 2) {
            return Optional.of("%,d of the last %,d documents were rejected for one reason: %s, %s"
                    .formatted(inSpan[kind], SPAN, type, brief(reason)));
        }
        return Optional.empty();
    }

    private void push(int kind) {
        if (seen == SPAN) {
            inSpan[recent[next]]--;
        } else {
            seen++;
        }
        recent[next] = kind;
        inSpan[kind]++;
        next = (next + 1) % SPAN;
    }

    /** Kinds are numbered from 1; when there are too many different ones, the rest share a number. */
    private int kind(String type, String reason) {
        String name = type + ' ' + reason.replaceAll("'[^']*'|\"[^\"]*\"|\\[[^\\]]*\\]|\\d+", "_");
        Integer known = kinds.get(name);
        if (known != null) {
            return known;
        }
        int number = Math.min(kinds.size() + 1, KINDS_MAX + 1);
        if (number <= KINDS_MAX) {
            kinds.put(name, number);
        }
        return number;
    }

    private static String brief(String reason) {
        return reason.length() <= 200 ? reason : reason.substring(0, 200) + "…";
    }
}
