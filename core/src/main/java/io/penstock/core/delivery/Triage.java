package io.penstock.core.delivery;

import java.util.List;
import java.util.Set;

/**
 * Step 4b of the load path. The one table that says what a server's error means; the first row that fits decides.
 *
 * <p>Errors are told apart by type and block first and by status last, because one status means opposite things: a disk
 * at flood stage and a full queue are both 429. Measured on OpenSearch 3.6.0 and Elasticsearch 8.19.21; the rows are
 * also the table in {@code docs/delivery.md}.
 */
public final class Triage {
    private Triage() {}

    /** Whether a row is about one item of a reply, or about the whole request. */
    public enum Level {
        ITEM,
        REQUEST
    }

    /**
     * One row; empty sets and texts fit everything.
     *
     * @param statuses HTTP statuses; one below 10 stands for its hundred, 5 for 500 to 599
     * @param types error types
     * @param inReason a text that the reason contains
     * @param meaning what has happened, for people
     */
    public record Row(
            Level level,
            Set<Integer> statuses,
            Set<String> types,
            String inReason,
            String meaning,
            Treatment treatment) {
        boolean fits(Level askedLevel, int status, String type, String reason) {
            return level == askedLevel
                    && (statuses.isEmpty() || statuses.contains(status) || statuses.contains(status / 100))
                    && (types.isEmpty() || types.contains(type))
                    && reason.contains(inReason);
        }
    }

    private static final String CLUSTER_BLOCK = "cluster_block_exception";
    private static final Set<String> OVERLOAD =
            Set.of("rejected_execution_exception", "es_rejected_execution_exception", "circuit_breaking_exception");

    private static final List<Row> ROWS = List.of(
            item(Set.of(), "Limit of total fields", "the index has all the fields it may have", Treatment.STOP),
            item(
                    Set.of("rejected_execution_exception", "es_rejected_execution_exception"),
                    "",
                    "the write queue is full",
                    Treatment.PUSHED_BACK),
            item(Set.of("circuit_breaking_exception"), "", "the node's memory is full", Treatment.PUSHED_BACK),
            new Row(Level.ITEM, Set.of(429), Set.of(CLUSTER_BLOCK), "", "the disk is at flood stage", Treatment.WAIT),
            new Row(
                    Level.ITEM,
                    Set.of(503),
                    Set.of(CLUSTER_BLOCK),
                    "",
                    "the cluster is not ready",
                    Treatment.UNAVAILABLE),
            item(Set.of(CLUSTER_BLOCK), "", "the index or the cluster is read-only or blocked", Treatment.STOP),
            item(
                    Set.of("index_create_block_exception"),
                    "",
                    "no index can be made while disks are full",
                    Treatment.WAIT),
            item(Set.of("unavailable_shards_exception"), "", "the primary shard is not active", Treatment.UNAVAILABLE),
            item(Set.of("version_conflict_engine_exception"), "", "the index holds another version", Treatment.CONFIRM),
            item(Set.of("index_not_found_exception"), "", "the index is gone", Treatment.STOP),
            item(Set.of("index_closed_exception"), "", "the index is closed", Treatment.STOP),
            item(Set.of(), "no write index is defined for alias", "the alias has no write index", Treatment.STOP),
            item(
                    Set.of("illegal_argument_exception"),
                    "pipeline with id [",
                    "the ingest pipeline does not exist",
                    Treatment.STOP),
            new Row(
                    Level.ITEM,
                    Set.of(401, 403),
                    Set.of(),
                    "",
                    "the user may not write here",
                    Treatment.TRY_ACCESS_AGAIN),
            new Row(
                    Level.ITEM,
                    Set.of(404),
                    Set.of("document_missing_exception"),
                    "",
                    "there is nothing to update",
                    Treatment.REJECT),
            new Row(Level.ITEM, Set.of(429), Set.of(), "", "too much to do", Treatment.PUSHED_BACK),
            new Row(
                    Level.ITEM,
                    Set.of(502, 503, 504),
                    Set.of(),
                    "",
                    "the shard cannot answer now",
                    Treatment.UNAVAILABLE),
            new Row(Level.ITEM, Set.of(400), Set.of(), "", "the document does not fit the index", Treatment.REJECT),
            new Row(Level.ITEM, Set.of(), Set.of(), "", "an answer this version does not know", Treatment.UNKNOWN),
            request(Set.of(413), Set.of(), "", "the body is too large", Treatment.SPLIT),
            request(Set.of(429), Set.of(CLUSTER_BLOCK), "", "the disk is at flood stage", Treatment.WAIT),
            request(Set.of(), OVERLOAD, "", "the node has too much to do", Treatment.PUSHED_BACK),
            request(Set.of(429), Set.of(), "", "too much to do", Treatment.PUSHED_BACK),
            request(
                    Set.of(),
                    Set.of("index_create_block_exception"),
                    "",
                    "no index can be made while disks are full",
                    Treatment.WAIT),
            request(
                    Set.of(403),
                    Set.of(CLUSTER_BLOCK),
                    "",
                    "the index or the cluster is read-only or blocked",
                    Treatment.STOP),
            request(Set.of(404), Set.of("index_not_found_exception"), "", "the index is gone", Treatment.STOP),
            request(
                    Set.of(400),
                    Set.of(),
                    "unrecognized parameter",
                    "the server does not know a parameter of ours",
                    Treatment.OUR_FAULT),
            request(Set.of(400), Set.of(), "", "one document spoils the whole request", Treatment.BISECT),
            request(Set.of(401, 403), Set.of(), "", "the credentials are refused", Treatment.TRY_ACCESS_AGAIN),
            request(Set.of(3), Set.of(), "", "somebody redirects us; no redirect is followed", Treatment.STOP),
            request(Set.of(404, 405), Set.of(), "", "there is no bulk API under this URL", Treatment.STOP),
            request(
                    Set.of(408, 5),
                    Set.of(),
                    "",
                    "a server or gateway is in trouble; the request may have been carried out",
                    Treatment.UNAVAILABLE),
            request(Set.of(), Set.of(), "", "an answer this version does not know", Treatment.UNKNOWN));

    /** All rows, in order. */
    public static List<Row> rows() {
        return ROWS;
    }

    /** The row that decides about an item that failed. */
    public static Row item(int status, ItemReply.Failure failure) {
        return first(Level.ITEM, status, failure.type(), failure.reason());
    }

    /** The row that decides about a refused request. */
    public static Row request(BulkReply.Refused refused) {
        return first(Level.REQUEST, refused.status(), refused.type(), refused.reason());
    }

    private static Row first(Level level, int status, String type, String reason) {
        for (Row row : ROWS) {
            if (row.fits(level, status, type, reason)) {
                return row;
            }
        }
        throw new IllegalStateException("the last row of each level fits everything");
    }

    private static Row item(Set<String> types, String inReason, String meaning, Treatment treatment) {
        return new Row(Level.ITEM, Set.of(), types, inReason, meaning, treatment);
    }

    private static Row request(
            Set<Integer> statuses, Set<String> types, String inReason, String meaning, Treatment treatment) {
        return new Row(Level.REQUEST, statuses, types, inReason, meaning, treatment);
    }
}
