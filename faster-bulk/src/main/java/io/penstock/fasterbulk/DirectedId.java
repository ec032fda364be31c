package io.penstock.fasterbulk;

import java.util.Optional;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.routing.OperationRouting;

/**
 * Ids that belong to a wanted shard: the server's own, with two more characters that make the whole hash to it. Whoever
 * has the id finds the document, as the server looks for it where the id hashes to.
 */
final class DirectedId {
    /** Of the alphabet of the server's own ids (RequestUtils.generateID, 3.6.0: URL-safe Base64). */
    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    private DirectedId() {}

    /**
     * Nothing if none of the 4,096 that there are hashes to the shard; with 256 shards, one of ten million does not.
     */
    static Optional<String> of(String serverId, int shard, IndexMetadata index) {
        char[] id = new char[serverId.length() + 2];
        serverId.getChars(0, serverId.length(), id, 0);
        for (int i = 0; i < ALPHABET.length(); i++) {
            id[id.length - 2] = ALPHABET.charAt(i);
            for (int j = 0; j < ALPHABET.length(); j++) {
                id[id.length - 1] = ALPHABET.charAt(j);
                String candidate = new String(id);
                if (OperationRouting.generateShardId(index, candidate, null) == shard) {
                    return Optional.of(candidate);
                }
            }
        }
        return Optional.empty();
    }
}
