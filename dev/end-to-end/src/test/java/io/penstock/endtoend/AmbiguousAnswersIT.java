package io.penstock.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.proxy.Fault;
import io.penstock.testkit.proxy.Fault.Pass;
import io.penstock.testkit.proxy.FaultProxy;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers that leave open whether the server did what was asked: they never count, and what was sent is sent again. */
@RealNode
class AmbiguousAnswersIT {
    private static final NumberedDocuments DOCUMENTS = NumberedDocuments.of(1000);
    private static final String INDEX = "ambiguous";

    @TempDir
    Path folder;

    private RealCluster node;
    private FaultProxy proxy;

    @BeforeEach
    void startProxy(RealCluster cluster) {
        node = cluster;
        proxy = FaultProxy.start(cluster.url());
    }

    @AfterEach
    void endProxy() {
        proxy.close();
        node.call("DELETE", "/" + INDEX, "");
    }

    static Stream<Arguments> ambiguous() {
        return Stream.of(
                Arguments.of("row 19: reset before the request arrived", new Fault.DropBefore()),
                Arguments.of("row 20: reset after the server applied it", new Fault.DropAfter(Fault.Cut.RESET)),
                Arguments.of("row 20: closed after the server applied it", new Fault.DropAfter()),
                Arguments.of("row 25: truncated reply with a length", new Fault.TruncatedReply()),
                Arguments.of("row 26: truncated reply without a length", new Fault.TruncatedCloseDelimited()),
                Arguments.of("row 27: request shortened on its way", new Fault.ShortRequest()),
                Arguments.of("row 34: gateway 500, not applied", Fault.Status.notApplied(500)),
                Arguments.of("row 34: gateway 502, applied", Fault.Status.applied(502)),
                Arguments.of("row 34: gateway 503, not applied", Fault.Status.notApplied(503)),
                Arguments.of("row 34: gateway 504, applied", Fault.Status.applied(504)),
                Arguments.of("row 45: fewer items than sent", new Fault.FewerItems()),
                Arguments.of("row 46: more items than sent", new Fault.MoreItems()),
                Arguments.of("row 47: items in another order", new Fault.SwapItems()),
                Arguments.of("row 47: an item repeated", new Fault.DuplicateItem()),
                Arguments.of("row 48: a wrong errors flag", new Fault.FlipErrorsFlag()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ambiguous")
    void isSentAgainAndLeavesOneCopyOfEachDocument(String row, Fault fault) {
        proxy.script(new Pass(), fault, fault, new Pass(), fault);
        LoadUnderTest.Outcome outcome = load().run();
        ledger().provesAllIndexed(outcome);
        ledger().provesAcknowledgedAreThere(proxy.journal());
        if (!(fault instanceof Fault.FlipErrorsFlag)) {
            assertThat(outcome.report().counts().retried()).isPositive();
        }
    }

    private LoadUnderTest load() {
        return new LoadUnderTest(folder, DOCUMENTS.write(folder.resolve("in.ndjson")), INDEX, proxy.url());
    }

    private Ledgered ledger() {
        return new Ledgered(node, DOCUMENTS, INDEX);
    }
}
