package io.penstock.endtoend;

import io.penstock.realservers.RealCluster;
import io.penstock.testkit.proxy.FaultProxy;
import io.penstock.testkit.seeds.NumberedDocuments;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What most tests need: numbered documents, an index of the test's own, and a proxy before the first node. */
final class Scene implements AutoCloseable {
    private final RealCluster cluster;
    private final Path folder;
    private final String index;
    private final FaultProxy proxy;
    private NumberedDocuments documents = NumberedDocuments.of(1000);

    Scene(RealCluster cluster, Path folder, String index) {
        this.cluster = cluster;
        this.folder = folder;
        this.index = index;
        this.proxy = FaultProxy.start(cluster.url());
    }

    Scene documents(NumberedDocuments wanted) {
        documents = wanted;
        return this;
    }

    NumberedDocuments documents() {
        return documents;
    }

    RealCluster cluster() {
        return cluster;
    }

    FaultProxy proxy() {
        return proxy;
    }

    String index() {
        return index;
    }

    /** A load of the scene's documents through the proxy. */
    LoadUnderTest load() {
        Path file = folder.resolve("in.ndjson");
        return load(Files.exists(file) ? file : documents.write(file));
    }

    /** A load of these lines through the proxy. */
    LoadUnderTest loadOf(String... lines) {
        return load(write("lines.ndjson", String.join("\n", lines) + "\n"));
    }

    LoadUnderTest load(Path file) {
        return new LoadUnderTest(folder, file, index, proxy.url());
    }

    Path write(String name, String text) {
        try {
            return Files.writeString(folder.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Ledgered ledger() {
        return new Ledgered(cluster, documents, index);
    }

    /** Makes the index beforehand, with one shard. */
    Scene withIndex(String mappings) {
        cluster.put(
                "/" + index,
                "{\"settings\":{\"number_of_shards\":1,\"number_of_replicas\":0},\"mappings\":" + mappings + "}");
        return this;
    }

    @Override
    public void close() {
        proxy.close();
        cluster.call("DELETE", "/" + index, "");
    }
}
