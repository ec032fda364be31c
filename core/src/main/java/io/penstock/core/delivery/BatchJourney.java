package io.penstock.core.delivery;

import io.penstock.core.batch.Batch;
import io.penstock.core.document.Document;
import io.penstock.core.document.Operation;
import io.penstock.core.fate.Counts;
import io.penstock.core.fate.Fate;
import io.penstock.core.window.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Step 4 of the load path. Brings one batch to its end: what to send, what an answer means for each item, what waits,
 * what is halved. A retry is a loop in here; nothing goes back to the reader.
 *
 * <p>A plain state machine: ask {@link #next}, do it, tell the answer. Never blocks, never reads a clock. Not
 * thread-safe.
 */
public final class BatchJourney {
    /** After so many unusable answers in a row for the same bytes they are suspected, not the network. */
    static final int SUSPECT_AFTER = 3;

    /** One document alone gets more tries: three lost answers in a row happen on a bad network, ten do not. */
    static final int POISON_AFTER = 10;

    private static final int UNKNOWN_TRIES = 3;

    private final Batch batch;
    private final DeliveryPolicy policy;
    private final RandomGenerator random;
    private final @Nullable Fate[] fates;
    private final BitSet sentBefore = new BitSet();
    private final List<Rejection> rejections = new ArrayList<>();
    private final Deque<Group> waiting = new ArrayDeque<>();
    private @Nullable Group underWay;
    private @Nullable Step end;
    private int open;
    private int retried;
    private int perhapsOurs;

    public BatchJourney(Batch batch, DeliveryPolicy policy, RandomGenerator random, long nowNanos) {
        this.batch = batch;
        this.policy = policy;
        this.random = random;
        this.fates = new Fate[batch.itemCount()];
        this.open = batch.itemCount();
        if (open > 0) {
            waiting.add(new Group(IntStream.range(0, open).toArray(), nowNanos));
        }
    }

    /** What to do now. */
    public Step next(long nowNanos) {
        if (end != null) {
            return end;
        }
        if (underWay == null && open == 0) {
            end = new Step.Settled(settle());
            return end;
        }
        if (underWay == null) {
            Group soonest = waiting.stream()
                    .min(Comparator.comparingLong(group -> group.notBefore - nowNanos))
                    .orElseThrow(() -> new IllegalStateException(open + " documents are in no group"));
            if (soonest.notBefore - nowNanos > 0) {
                return new Step.Wait(soonest.notBefore);
            }
            waiting.remove(soonest);
            underWay = soonest;
        }
        return underWay.confirming ? new Step.Confirm(underWay.items) : new Step.Send(underWay.items);
    }

    /**
     * Takes the answer to the last {@link Step.Send}.
     *
     * @param lastSuccessNanos when this load last had a usable answer for any document, and no outage since: a document
     *     alone is called poison only when others pass
     */
    public Progress onReply(BulkReply reply, long nowNanos, long lastSuccessNanos) {
        Group group = taken();
        group.tries++;
        if (group.tries > 1) {
            retried += group.items.length;
        }
        return switch (reply) {
            case BulkReply.Items items -> onItems(group, items, nowNanos);
            case BulkReply.Refused refused -> onRefused(group, refused, nowNanos, lastSuccessNanos);
            case BulkReply.NoAnswer none -> onNoAnswer(group, none, nowNanos, lastSuccessNanos);
        };
    }

    /** Takes the answer to the last {@link Step.Confirm}. */
    public Progress onConfirmed(ConfirmReply reply, long nowNanos) {
        Group group = taken();
        return switch (reply) {
            case ConfirmReply.Held held -> onCopies(group, held.copies(), nowNanos);
            case ConfirmReply.Unknown unknown -> {
                retryAll(group, nowNanos, 0, unknown.reason());
                yield trouble(Outcome.IGNORED, unknown.reason());
            }
        };
    }

    private Group taken() {
        Group group = underWay;
        if (group == null) {
            throw new IllegalStateException("nothing is under way");
        }
        underWay = null;
        return group;
    }

    // ---- answers with items -------------------------------------------------------------------------------------

    private Progress onItems(Group group, BulkReply.Items reply, long nowNanos) {
        String mismatch = ReplyCheck.mismatch(batch, group.items, reply.items());
        if (!mismatch.isEmpty()) {
            return onGarbled(group, mismatch, nowNanos);
        }
        group.unusable = 0;
        group.whileOthersPass = 0;
        group.garbled = 0;
        int before = open;
        int rejectedBefore = rejections.size();
        var later = new Sorting();
        for (int i = 0; i < group.items.length && end == null; i++) {
            onItem(group, group.items[i], reply.items().get(i), later);
        }
        if (end != null) {
            return trouble(Outcome.IGNORED, "");
        }
        later.confirm.ifPresent(items -> waiting.add(group.toConfirm(items)));
        later.retry.ifPresent(items -> retryPart(group, items, later, nowNanos));
        int acknowledged = before - open - (rejections.size() - rejectedBefore);
        return new Progress(later.pushedBack ? Outcome.PUSHED_BACK : Outcome.ANSWERED, acknowledged, later.why, 0);
    }

    private void onItem(Group group, int item, ItemReply reply, Sorting later) {
        ItemReply.Failure failure = reply.error();
        if (failure == null && isDone(item, reply)) {
            finish(item, fate(item, reply));
            return;
        }
        if (failure == null) {
            failure = new ItemReply.Failure("no_error_given", "the server gave status " + reply.status());
        }
        Triage.Row row = Triage.item(reply.status(), failure);
        switch (row.treatment()) {
            case PUSHED_BACK -> {
                later.pushedBack = true;
                later.retry.add(item, row.meaning());
            }
            case WAIT, UNAVAILABLE -> {
                later.retry.add(item, row.meaning());
                later.waits |= row.treatment() == Treatment.WAIT;
            }
            case CONFIRM -> onConflict(item, later);
            case REJECT, BISECT, SPLIT -> reject(group, item, reply.status(), failure.type(), failure.reason());
            case STOP -> stop(StopReason.TARGET_REFUSES, row.meaning() + ": " + brief(failure.reason()));
            case OUR_FAULT -> stop(StopReason.BUG, row.meaning() + ": " + brief(failure.reason()));
            case TRY_ACCESS_AGAIN, UNKNOWN -> {
                int triesMax = row.treatment() == Treatment.UNKNOWN ? UNKNOWN_TRIES : 1;
                if (group.tries > triesMax) {
                    stop(
                            StopReason.TARGET_REFUSES,
                            "%s: status %d, %s: %s"
                                    .formatted(row.meaning(), reply.status(), failure.type(), brief(failure.reason())));
                } else {
                    later.retry.add(item, row.meaning());
                }
            }
        }
        if (later.why.isEmpty()) {
            later.why = later.retry.why;
        }
    }

    private boolean isDone(int item, ItemReply reply) {
        return reply.status() / 100 == 2 || (reply.status() == 404 && batch.operation(item) == Operation.DELETE);
    }

    private Fate fate(int item, ItemReply reply) {
        Operation operation = batch.operation(item);
        if (operation == Operation.DELETE) {
            return reply.status() == 404 ? Fate.ABSENT : Fate.DELETED;
        }
        if (reply.noop() && operation != Operation.UPDATE) {
            return Fate.DROPPED;
        }
        return reply.status() == 201 ? Fate.CREATED : Fate.UPDATED;
    }

    // ---- version conflicts --------------------------------------------------------------------------------------

    /** A conflict on an id that only this job makes is our own earlier write; every other one is looked at. */
    private void onConflict(int item, Sorting later) {
        if (batch.hasJobId(item)) {
            sentBefore.set(item);
            finish(item, Fate.UPDATED);
        } else if (batch.operation(item) == Operation.UPDATE) {
            later.retry.add(item, "another writer changed the document");
        } else {
            later.confirm.add(item, "");
        }
    }

    private Progress onCopies(Group group, List<ConfirmReply.Copy> copies, long nowNanos) {
        int before = open;
        int rejectedBefore = rejections.size();
        var again = new Items();
        for (int i = 0; i < group.items.length; i++) {
            int item = group.items[i];
            ConfirmReply.Copy copy = copies.get(i);
            boolean versioned = batch.version(item) != Document.NO_VERSION;
            if (batch.operation(item) == Operation.DELETE && !copy.found()) {
                finish(item, Fate.ABSENT);
            } else if (versioned && (!copy.found() || copy.version() > batch.version(item))) {
                finish(item, Fate.SUPERSEDED);
            } else if (versioned && copy.version() == batch.version(item)) {
                boolean delete = batch.operation(item) == Operation.DELETE;
                sentBefore.set(item);
                finish(item, delete ? Fate.SUPERSEDED : Fate.UPDATED);
            } else if (!copy.found() || versioned) {
                again.add(item, "the document that was in the way is gone");
            } else if (copy.sameSource() && (sentBefore.get(item) || policy.resumed())) {
                sentBefore.set(item);
                finish(item, Fate.UPDATED);
            } else {
                reject(
                        group,
                        item,
                        409,
                        "version_conflict_engine_exception",
                        "the index holds another document with this id");
            }
        }
        again.ifPresent(items -> retryAll(group.part(items), nowNanos, 0, again.why));
        return new Progress(Outcome.IGNORED, before - open - (rejections.size() - rejectedBefore), again.why, 0);
    }

    // ---- whole requests -----------------------------------------------------------------------------------------

    private Progress onRefused(Group group, BulkReply.Refused refused, long nowNanos, long lastSuccessNanos) {
        Triage.Row row = Triage.request(refused);
        String why = "%s (HTTP %d%s)"
                .formatted(
                        row.meaning(),
                        refused.status(),
                        refused.reason().isEmpty() ? "" : ", " + brief(refused.reason()));
        switch (row.treatment()) {
            case PUSHED_BACK -> {
                retryAll(group, nowNanos, refused.retryAfter().toNanos(), why);
                return trouble(Outcome.PUSHED_BACK, why);
            }
            case WAIT -> retryAll(group, nowNanos, refused.retryAfter().toNanos(), why);
            case UNAVAILABLE -> {
                markSent(group);
                retryOrHalve(
                        group,
                        refused.status() == 500,
                        nowNanos,
                        lastSuccessNanos,
                        refused.retryAfter().toNanos(),
                        why);
            }
            case SPLIT -> {
                return onTooLarge(group, refused);
            }
            case BISECT, REJECT, CONFIRM -> {
                if (group.items.length == 1) {
                    reject(group, group.items[0], refused.status(), refused.type(), refused.reason());
                } else {
                    halve(group, false);
                }
            }
            case STOP -> stop(StopReason.TARGET_REFUSES, why);
            case OUR_FAULT -> stop(StopReason.BUG, why);
            case TRY_ACCESS_AGAIN, UNKNOWN -> {
                if (group.tries > (row.treatment() == Treatment.UNKNOWN ? UNKNOWN_TRIES : 1)) {
                    stop(StopReason.TARGET_REFUSES, why);
                } else {
                    retryAll(group, nowNanos, refused.retryAfter().toNanos(), why);
                }
            }
        }
        return trouble(Outcome.IGNORED, why);
    }

    private Progress onTooLarge(Group group, BulkReply.Refused refused) {
        long bytes = batch.bytes(group.items);
        if (group.items.length == 1) {
            reject(group, group.items[0], 413, "too_large", "the server refuses a body of %,d bytes".formatted(bytes));
            return trouble(Outcome.IGNORED, "");
        }
        halve(group, false);
        return new Progress(
                Outcome.IGNORED,
                0,
                "the server refuses a body of %,d bytes (HTTP %d)".formatted(bytes, refused.status()),
                bytes);
    }

    private Progress onNoAnswer(Group group, BulkReply.NoAnswer none, long nowNanos, long lastSuccessNanos) {
        switch (none.cause()) {
            case NOT_CONNECTED -> retryAll(group, nowNanos, 0, none.message());
            case CLOSED -> {
                markSent(group);
                retryOrHalve(group, true, nowNanos, lastSuccessNanos, 0, none.message());
            }
            case TIMED_OUT -> {
                markSent(group);
                group.failingSince(nowNanos);
                if (group.items.length > 1 && group.tries % 2 == 0) {
                    halve(group, true);
                } else {
                    retryAll(group, nowNanos, 0, none.message());
                }
                return trouble(Outcome.TIMED_OUT, none.message());
            }
            case GARBLED -> {
                return onGarbled(group, none.message(), nowNanos);
            }
            case FOREIGN -> {
                group.garbled++;
                if (group.garbled >= SUSPECT_AFTER) {
                    stop(StopReason.TARGET_REFUSES, none.message());
                } else {
                    retryAll(group, nowNanos, 0, none.message());
                }
            }
            case UNTRUSTED -> stop(StopReason.TARGET_REFUSES, none.message());
        }
        return trouble(Outcome.IGNORED, none.message());
    }

    private Progress onGarbled(Group group, String message, long nowNanos) {
        markSent(group);
        group.garbled++;
        if (group.garbled >= SUSPECT_AFTER) {
            stop(
                    StopReason.BUG,
                    "%d answers in a row make no sense for %d documents in %,d bytes: %s"
                            .formatted(group.garbled, group.items.length, batch.bytes(group.items), message));
        } else {
            retryAll(group, nowNanos, 0, message);
        }
        return trouble(Outcome.IGNORED, message);
    }

    // ---- what waits, what is halved -----------------------------------------------------------------------------

    /**
     * The same bytes failing again and again may be the fault of one document in them (a server closes the connection
     * on some bodies without a word). While others pass they are halved soon, and a document alone is called poison.
     * While nothing passes it looks like an outage: then there are many more tries before a halving, or whatever is
     * under way would come out of the outage as single documents.
     */
    private void retryOrHalve(
            Group group, boolean suspicious, long nowNanos, long lastSuccessNanos, long atLeastNanos, String why) {
        group.failingSince(nowNanos);
        boolean alone = group.items.length == 1;
        boolean othersPass = lastSuccessNanos - group.failingSince > 0;
        if (suspicious) {
            group.unusable++;
            group.whileOthersPass += othersPass ? 1 : 0;
        }
        int failures = alone ? group.whileOthersPass : group.unusable;
        if (failures < (alone || !othersPass ? POISON_AFTER : SUSPECT_AFTER) || (alone && !othersPass)) {
            retryAll(group, nowNanos, atLeastNanos, why);
        } else if (!alone) {
            if (othersPass) {
                group.waits = 0; // a search for one document and no outage
            }
            halve(group, othersPass);
        } else {
            reject(
                    group,
                    group.items[0],
                    0,
                    "poison",
                    "sent alone %d times without an answer while others pass: %s"
                            .formatted(group.whileOthersPass, why));
        }
    }

    private void halve(Group group, boolean suspected) {
        int middle = group.items.length / 2;
        int from = 0;
        for (int until : new int[] {middle, group.items.length}) {
            Group half = group.part(Arrays.copyOfRange(group.items, from, until));
            half.unusable = suspected ? SUSPECT_AFTER - 2 : 0;
            half.whileOthersPass = half.unusable;
            waiting.add(half);
            from = until;
        }
    }

    private void retryPart(Group group, int[] items, Sorting later, long nowNanos) {
        retryAll(group.part(items), nowNanos, later.waits ? 1_000_000_000L : 0, later.retry.why);
    }

    private void retryAll(Group group, long nowNanos, long atLeastNanos, String why) {
        group.failingSince(nowNanos);
        boolean tooLong = policy.outageMax().isPositive()
                && nowNanos - group.failingSince > policy.outageMax().toNanos();
        boolean tooOften = policy.retriesMax() > 0 && group.tries > policy.retriesMax();
        if (tooLong || tooOften) {
            stop(
                    StopReason.TARGET_UNUSABLE,
                    "%,d documents were not taken in %d tries over %d s: %s"
                            .formatted(
                                    group.items.length,
                                    group.tries,
                                    (nowNanos - group.failingSince) / 1_000_000_000L,
                                    why));
            return;
        }
        long wait = policy.backoff().nanos(group.waits++, random);
        group.notBefore = nowNanos + Math.max(wait, atLeastNanos);
        waiting.add(group);
    }

    private void markSent(Group group) {
        for (int item : group.items) {
            sentBefore.set(item);
        }
    }

    // ---- ends ---------------------------------------------------------------------------------------------------

    private void finish(int item, Fate fate) {
        if (fates[item] != null) {
            throw new IllegalStateException("document " + item + " ended twice: " + fates[item] + ", " + fate);
        }
        fates[item] = fate;
        open--;
        if (fate == Fate.UPDATED && (sentBefore.get(item) || policy.resumed())) {
            perhapsOurs++;
        }
    }

    private void reject(Group group, int item, int status, String type, String reason) {
        finish(item, Fate.DEAD_LETTERED);
        rejections.add(new Rejection(item, status, type, reason, Math.max(1, group.tries)));
    }

    private void stop(StopReason reason, String message) {
        if (end == null) {
            end = new Step.Stop(reason, message);
        }
    }

    private Settlement settle() {
        int[] ended = new int[Fate.values().length];
        for (Fate fate : fates) {
            ended[Objects.requireNonNull(fate).ordinal()]++;
        }
        rejections.sort(Comparator.comparingInt(Rejection::item));
        int absent = ended[Fate.ABSENT.ordinal()];
        var counts = new Counts(
                batch.documentCount(),
                ended[Fate.CREATED.ordinal()],
                ended[Fate.UPDATED.ordinal()],
                perhapsOurs,
                ended[Fate.DELETED.ordinal()] + absent,
                absent,
                ended[Fate.SUPERSEDED.ordinal()],
                ended[Fate.DROPPED.ordinal()],
                ended[Fate.DEAD_LETTERED.ordinal()] + batch.badDocuments().size(),
                retried,
                batch.sourceBytes(),
                batch.elsewhere(),
                batch.named());
        return new Settlement(batch, counts, List.copyOf(rejections));
    }

    private static Progress trouble(Outcome outcome, String why) {
        return new Progress(outcome, 0, why, 0);
    }

    /** A server's reason can repeat the whole document: people get the beginning. */
    private static String brief(String reason) {
        return reason.length() <= 300 ? reason : reason.substring(0, 300) + "…";
    }

    /** Items that share a history: sent together, failing together. */
    private static final class Group {
        final int[] items;
        int tries;
        /** Waits since the last sign that waiting helps nobody. */
        int waits;

        int unusable;
        /** Of those, how many while others passed: not in an outage. */
        int whileOthersPass;

        int garbled;
        boolean confirming;
        boolean isFailing;
        long failingSince;
        long notBefore;

        Group(int[] items, long notBefore) {
            this.items = items;
            this.notBefore = notBefore;
        }

        Group part(int[] some) {
            Group part = new Group(some, notBefore);
            part.tries = tries;
            part.garbled = garbled;
            part.waits = waits;
            part.isFailing = isFailing;
            part.failingSince = failingSince;
            return part;
        }

        Group toConfirm(int[] some) {
            Group part = part(some);
            part.confirming = true;
            return part;
        }

        void failingSince(long nowNanos) {
            if (!isFailing) {
                isFailing = true;
                failingSince = nowNanos;
            }
        }
    }

    /** Item numbers on their way to another group, and why. */
    private static final class Items {
        private int[] items = {};
        private int count;
        String why = "";

        void add(int item, String reason) {
            if (count == items.length) {
                items = Arrays.copyOf(items, Math.max(16, count * 2));
            }
            items[count++] = item;
            if (why.isEmpty()) {
                why = reason;
            }
        }

        void ifPresent(java.util.function.Consumer<int[]> use) {
            if (count > 0) {
                use.accept(Arrays.copyOf(items, count));
            }
        }
    }

    /** Where the unfinished items of one answer go. */
    private static final class Sorting {
        final Items retry = new Items();
        final Items confirm = new Items();
        boolean pushedBack;
        boolean waits;
        String why = "";
    }
}
