package io.penstock.testkit.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class BulkActionTest {

    @Test
    void readsPairsAndDeletes() {
        byte[] body =
                "{\"index\":{\"_id\":\"a\"}}\n{}\n{\"delete\":{\"_id\":\"b\"}}\n{\"create\":{}}\n{}\n".getBytes(UTF_8);

        assertThat(BulkAction.parse(body))
                .containsExactly(
                        new BulkAction("index", Optional.of("a"), 0, 22, 25),
                        new BulkAction("delete", Optional.of("b"), 25, 48, 48),
                        new BulkAction("create", Optional.empty(), 48, 62, 65));
    }

    @Test
    void takesAMissingLastLineEnd() {
        assertThat(BulkAction.parse("{\"index\":{}}\n{}".getBytes(UTF_8))).hasSize(1);
    }

    @Test
    void stopsAtALineThatIsNoAction() {
        assertThat(BulkAction.parse("{\"index\":{}}\n{}\ngarbage\n{\"index\":{}}\n{}\n".getBytes(UTF_8)))
                .hasSize(1);
        assertThat(BulkAction.parse("[]\n".getBytes(UTF_8))).isEmpty();
        assertThat(BulkAction.parse(new byte[0])).isEmpty();
    }
}
