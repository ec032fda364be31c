package io.penstock.source.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;

/** The one JSON factory, which caches field names and buffers for all parsers. */
public final class Json {
    /** For every parser. */
    public static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(1000)
                    // Numbers are passed through as they are; only the server has to make sense of them.
                    .maxNumberLength(Integer.MAX_VALUE)
                    .build())
            // Field names may be data (a map of user ids): they must neither fill the JVM's tables nor stop a load.
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    private Json() {}
}
