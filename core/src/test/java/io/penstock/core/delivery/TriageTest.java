package io.penstock.core.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers as servers gave them, and what becomes of the document or the request. */
class TriageTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "429 | rejected_execution_exception | rejected execution of coordinating operation | PUSHED_BACK",
                "429 | es_rejected_execution_exception | rejected execution of primary operation | PUSHED_BACK",
                "429 | circuit_breaking_exception | [parent] Data too large | PUSHED_BACK",
                "429 | cluster_block_exception | index [x] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage] | WAIT",
                "503 | cluster_block_exception | blocked by: [SERVICE_UNAVAILABLE/2/no master] | UNAVAILABLE",
                "403 | cluster_block_exception | index [x] blocked by: [FORBIDDEN/8/index write (api)] | STOP",
                "503 | unavailable_shards_exception | [x][0] primary shard is not active | UNAVAILABLE",
                "409 | version_conflict_engine_exception | [1]: version conflict, document already exists | CONFIRM",
                "404 | index_not_found_exception | no such index [x] | STOP",
                "400 | index_closed_exception | closed | STOP",
                "400 | illegal_argument_exception | pipeline with id [p] does not exist | STOP",
                "400 | illegal_argument_exception | Limit of total fields [1000] has been exceeded | STOP",
                "400 | mapper_parsing_exception | failed to parse field [n] of type [long] | REJECT",
                "400 | document_parsing_exception | [1:7] failed to parse | REJECT",
                "404 | document_missing_exception | [1]: document missing | REJECT",
                "403 | security_exception | no permissions for [indices:data/write/bulk[s]] | TRY_ACCESS_AGAIN",
                "504 | - | gateway timeout | UNAVAILABLE",
                "418 | teapot | short and stout | UNKNOWN",
            })
    void anItemIsTreatedByTypeBeforeBlockBeforeStatus(
            int status, @Nullable String type, @Nullable String reason, Treatment treatment) {
        var failure = new ItemReply.Failure(type == null ? "" : type, reason == null ? "" : reason);
        assertThat(Triage.item(status, failure).treatment()).isEqualTo(treatment);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "413 | - | - | SPLIT",
                "429 | - | - | PUSHED_BACK",
                "429 | cluster_block_exception | flood-stage | WAIT",
                "429 | circuit_breaking_exception | Data too large | PUSHED_BACK",
                "400 | illegal_argument_exception | Malformed action/metadata line [3] | BISECT",
                "400 | illegal_argument_exception | request [/_bulk] contains unrecognized parameter: [require_alias] | OUR_FAULT",
                "401 | - | Unauthorized | TRY_ACCESS_AGAIN",
                "404 | index_not_found_exception | no such index | STOP",
                "404 | - | nothing here | STOP",
                "302 | - | moved | STOP",
                "502 | - | bad gateway | UNAVAILABLE",
                "503 | - | unavailable | UNAVAILABLE",
                "408 | - | timeout | UNAVAILABLE",
            })
    void aRefusedRequestIsTreatedByTheSameOrder(
            int status, @Nullable String type, @Nullable String reason, Treatment treatment) {
        var refused =
                new BulkReply.Refused(status, type == null ? "" : type, reason == null ? "" : reason, Duration.ZERO);
        assertThat(Triage.request(refused).treatment()).isEqualTo(treatment);
    }

    /** What fits a row best is not taken by a row above it. */
    @Test
    void everyRowDecidesAboutSomething() {
        for (Triage.Row row : Triage.rows()) {
            int status = row.statuses().stream()
                    .findFirst()
                    .map(known -> known < 10 ? known * 100 : known)
                    .orElse(418);
            String type = row.types().stream().findFirst().orElse("");
            Triage.Row decides = row.level() == Triage.Level.ITEM
                    ? Triage.item(status, new ItemReply.Failure(type, row.inReason()))
                    : Triage.request(new BulkReply.Refused(status, type, row.inReason(), Duration.ZERO));
            assertThat(decides).isEqualTo(row);
        }
    }
}
