package io.penstock.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NodeLogTest {
    @Test
    void prefersTheRootCauseThatTheServerNamesItself() {
        String text = """
                [2026-11-21T01:00:00,000][ERROR][o.o.b.OpenSearchUncaughtExceptionHandler] uncaught exception in thread [main]
                BindHttpException[Failed to bind to 127.0.0.1:9200]; nested: BindException[Address already in use];
                Likely root cause: java.net.BindException: Address already in use
                \tat java.base/sun.nio.ch.Net.bind0(Native Method)
                """;

        assertThat(NodeLog.reason(text)).contains("java.net.BindException: Address already in use");
    }

    @Test
    void takesTheLastCauseBeforeTheExceptionAroundIt() {
        String text = """
                org.opensearch.bootstrap.StartupException: java.lang.IllegalStateException: failed to obtain node locks
                \tat org.opensearch.bootstrap.OpenSearch.init(OpenSearch.java:182)
                Caused by: java.lang.IllegalStateException: failed to obtain node locks
                Caused by: java.nio.file.AccessDeniedException: /x/data/nodes/0/node.lock
                \t... 12 more
                """;

        assertThat(NodeLog.reason(text)).contains("java.nio.file.AccessDeniedException: /x/data/nodes/0/node.lock");
    }

    @Test
    void takesTheErrorLineOfALogWithoutException() {
        String text = """
                [2026-11-21T01:00:00,000][INFO ][Node] starting ...
                [2026-11-21T01:00:00,000][ERROR][Bootstrap] memory locking requested but not possible
                [2026-11-21T01:00:00,000][INFO ][Node] closed
                """;

        assertThat(NodeLog.reason(text)).contains("[Bootstrap] memory locking requested but not possible");
    }

    @Test
    void takesWhatTheJvmPrintsWhenItDoesNotEvenBegin() {
        String text = """
                warning: no-jdk distributions that do not bundle a JDK are deprecated
                Error: Invalid maximum heap size: -Xmx900000g
                """;

        assertThat(NodeLog.reason(text)).contains("Invalid maximum heap size: -Xmx900000g");
    }

    @Test
    void takesTheLastLineOfAnythingElse() {
        assertThat(NodeLog.reason("one\nsetpriv: setresuid failed\n\n")).contains("setpriv: setresuid failed");
        assertThat(NodeLog.reason("\n")).isEmpty();
    }
}
