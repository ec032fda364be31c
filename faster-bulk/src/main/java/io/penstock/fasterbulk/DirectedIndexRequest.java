package io.penstock.fasterbulk;

import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.MappingMetadata;

/**
 * A document that goes to one shard of an index by the id that is made for it. The server makes its own id first, and
 * notes that the document cannot be there yet (it does so in {@code process}, 3.6.0, and refuses requests that bring
 * such a note along); then two characters are added. On the wire it is an ordinary request.
 */
final class DirectedIndexRequest extends IndexRequest {
    private final IndexMetadata target;
    private final int shard;
    private final FasterBulkStats.OfIndex counts;

    /**
     * Takes the place of a request in its bulk.
     *
     * @param original one without id and routing
     * @throws IllegalArgumentException if the index has no such shard, for which an id would be looked for in vain
     */
    DirectedIndexRequest(IndexRequest original, IndexMetadata target, int shard, FasterBulkStats.OfIndex counts) {
        super(original.index());
        if (shard < 0 || shard >= target.getNumberOfShards()) {
            throw new IllegalArgumentException("%s has no shard %d".formatted(target.getIndex(), shard));
        }
        this.target = target;
        this.shard = shard;
        this.counts = counts;
        source(original.source(), original.getContentType());
        opType(original.opType());
        version(original.version());
        versionType(original.versionType());
        setPipeline(original.getPipeline());
        setFinalPipeline(original.getFinalPipeline());
        setSystemIngestPipeline(original.getSystemIngestPipeline());
        isPipelineResolved(original.isPipelineResolved());
        setRequireAlias(original.isRequireAlias());
    }

    @Override
    public void process(Version created, @Nullable MappingMetadata mapping, String concreteIndex) {
        boolean without = id() == null; // a pipeline may have set id, routing or index meanwhile
        super.process(created, mapping, concreteIndex);
        if (without
                && routing() == null
                && concreteIndex.equals(target.getIndex().getName())) {
            DirectedId.of(id(), shard, target).ifPresent(id -> {
                id(id);
                counts.directed();
            });
        }
    }
}
