package io.penstock.source.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BulkFormatReaderTest {
    @TempDir
    Path folder;

    @Test
    void keepsWhatActionLinesSay() {
        String content = """
                {"index":{"_index":"i","_id":"1","routing":"r","version":5,"version_type":"external"}}
                {"a":1}

                {"create":{"pipeline":"p\\u00e4","require_alias": true,"_type":"_doc"}}
                {"a":2}
                {"delete":{"_id":3,"_routing":4,"version":9,"version_type":"external_gte"}}
                {"update":{"_id":"4","if_seq_no":1,"if_primary_term":2,"_source":["a", {"b":1}]}}
                {"script":"x"}
                {"update":{"_id":"5","retry_on_conflict":3}}
                {"doc":{"script":1}}
                """;
        var readings = Readings.of(content, Format.AUTO);

        assertThat(readings.lines().stream().map(line -> line.replaceFirst("^\\d+/", "")))
                .containsExactly(
                        "1 index id=1 routing=r version=5 index=i {\"a\":1}",
                        "4 create extra=\"pipeline\":\"p\\u00e4\",\"require_alias\":true {\"a\":2}",
                        "6 delete id=3 routing=4 version=9 extra=\"version_type\":\"external_gte\" ",
                        "7 update id=4 extra=\"if_seq_no\":1,\"if_primary_term\":2,\"_source\":[\"a\", {\"b\":1}] "
                                + "{\"script\":\"x\"}",
                        "9 update id=5 extra=\"retry_on_conflict\":3 {\"doc\":{\"script\":1}}");
        readings.checkResume(Readings.file(folder, Readings.bytes(content), FileOptions.defaults()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense",
                "[]",
                "{}",
                "{\"index\":1}",
                "{\"upsert\":{}}",
                "{\"index\":{\"_id\":\"\"}}",
                "{\"index\":{\"_id\":1.5}}",
                "{\"index\":{\"_id\":null}}",
                "{\"index\":{\"foo\":1}}",
                "{\"index\":{},\"create\":{}}",
                "{\"index\":{}} x",
                "{\"index\":{\"_id\":\"1\",\"_id\":\"2\"}}",
                "{\"index\":{\"version\":1}}",
                "{\"index\":{\"_id\":\"1\",\"version\":1,\"version_type\":\"internal\"}}",
                "{\"index\":{\"_id\":\"1\",\"version_type\":\"external\"}}",
                "{\"index\":{\"_id\":\"1\",\"version\":-1,\"version_type\":\"external\"}}",
                "{\"create\":{\"_id\":\"1\",\"version\":1,\"version_type\":\"external\"}}",
                "{\"update\":{\"_id\":\"1\",\"version\":1,\"version_type\":\"external\"}}",
                "{\"update\":{}}",
                "{\"delete\":{}}",
                "{\"index\":{\"_id\":\"1\",\"if_seq_no\":1}}",
                "{\"index\":{\"pipeline\":{}}}",
                "{\"index\":{\"_index\":7}}",
                "{\"index\":{\"routing\":[]}}"
            })
    void tellsABadActionWithItsBody(String action) {
        String good = "{\"index\":{\"_id\":\"g\"}}\n{\"g\":1}\n";
        var readings = Readings.of(good + action + "\r\n{\"body\":1}\n" + good, Format.BULK);

        assertThat(readings.lines()).hasSize(3);
        int size = action.length() + 11;
        assertThat(readings.lines().get(1))
                .startsWith("30/3 BAD action[%d] %s\n{\"body\":1} | the action line ".formatted(size, action));
        assertThat(readings.lines().get(2)).isEqualTo((30 + size + 2) + "/5 index id=g {\"g\":1}");
    }

    @Test
    void goesOnAtTheNextActionWhenABadOneHadNoBody() {
        var readings = Readings.of(
                "{\"delete\":{\"_id\":\"\"}}\n{\"index\":{\"_id\":\"1\"}}\n{\"a\":1}\n{\"delete\":{}}\n", Format.BULK);

        assertThat(readings.lines().stream().map(line -> line.replaceFirst(" \\|.*", "")))
                .containsExactly(
                        "0/1 BAD action[21] {\"delete\":{\"_id\":\"\"}}",
                        "22/2 index id=1 {\"a\":1}",
                        "52/4 BAD action[13] {\"delete\":{}}");
        readings.checkResume(Readings.file(
                folder,
                Readings.bytes(
                        "{\"delete\":{\"_id\":\"\"}}\n{\"index\":{\"_id\":\"1\"}}\n{\"a\":1}\n{\"delete\":{}}\n"),
                FileOptions.of(Format.BULK)));
    }

    @Test
    void tellsAMissingBodyAtTheEnd() {
        assertThat(Readings.of("{\"index\":{}}\n\n", Format.BULK).lines())
                .containsExactly("0/1 BAD action[12] {\"index\":{}}"
                        + " | the file ends behind the action line, and a body should follow");
    }

    @Test
    void tellsBodiesThatCannotBeSent() {
        String action = "{\"index\":{}}\n";
        byte[] content = Readings.bytes(
                action,
                "not json\n",
                action,
                "{\"s\":\"",
                new byte[] {(byte) 0xff},
                "\"}\n",
                "{\"update\":{\"_id\":\"1\"}}\n{\"script\":{}}\n",
                "{\"update\":{\"_id\":\"1\"}}\n{\"doc\":\n",
                action,
                "{\"a\":1}\n");
        var readings = Readings.of(content, FileOptions.of(Format.BULK));

        assertThat(readings.lines().stream().map(line -> line.replaceFirst(" \\|(?s:.*)", "")))
                .containsExactly(
                        "0/1 BAD parse[21] {\"index\":{}}\nnot json",
                        "22/3 BAD encoding[22] {\"index\":{}}\n{\"s\":\"ÿ\"}",
                        "45/5 BAD unsafe_update[36] {\"update\":{\"_id\":\"1\"}}\n{\"script\":{}}",
                        "82/7 BAD parse[30] {\"update\":{\"_id\":\"1\"}}\n{\"doc\":",
                        "113/9 index {\"a\":1}");
    }

    @Test
    void goesBackToTheActionLineWhenTheStreamBreaksBehindIt() {
        for (String action : List.of("{\"index\":{}}\n", "bad\n")) {
            byte[] member = CompressedFileTest.Method.GZIP.compress("{\"index\":{}}\n{\"a\":1}\n" + action);
            var readings = Readings.of(Readings.bytes(member, "x"), FileOptions.of(Format.BULK));

            assertThat(readings.lines()).containsExactly("0/1 index {\"a\":1}");
            assertThat(readings.failed().position()).isEqualTo(new io.penstock.core.document.Position(21, 3));
        }
    }

    @Test
    void passesOverABodyAboveTheLimit() {
        var options = new FileOptions(
                Format.BULK,
                io.penstock.core.document.Operation.INDEX,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                1000);
        String large = "{" + " ".repeat(1000) + "}";
        var readings =
                Readings.of("{\"index\":{}}\n" + large + "\nbad\n" + large + "\n{\"index\":{}}\n{\"a\":1}\n", options);

        assertThat(readings.lines().stream().map(line -> line.replaceFirst(" \\|.*", "")))
                .isEqualTo(List.of(
                        "0/1 BAD too_large[1015] ",
                        "1016/3 BAD action[3] bad",
                        "1020/4 BAD too_large[1002] ",
                        "2023/5 index {\"a\":1}"));
    }
}
