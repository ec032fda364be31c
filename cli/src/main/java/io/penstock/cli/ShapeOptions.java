package io.penstock.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a new index is made. */
final class ShapeOptions {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Option(names = "--shards", paramLabel = "N", description = "Primary shards of a new index.")
    @Nullable
    Integer shards;

    @Option(names = "--replicas", paramLabel = "N", description = "Replicas of a new index.")
    @Nullable
    Integer replicas;

    @Option(names = "--settings", paramLabel = "K=V", description = "Setting of a new index; may be repeated.")
    Map<String, String> settings = new LinkedHashMap<>();

    /** The settings that were given, by their full names. */
    Map<String, String> settings() {
        var all = new LinkedHashMap<String, String>();
        settings.forEach((key, value) -> all.put(key.startsWith("index.") ? key : "index." + key, value));
        if (shards != null) {
            all.put("index.number_of_shards", Integer.toString(shards));
        }
        if (replicas != null) {
            all.put("index.number_of_replicas", Integer.toString(replicas));
        }
        return all;
    }

    /** The same as a JSON object. */
    String json() {
        return JSON.valueToTree(settings()).toString();
    }

    /**
     * The mapping in a file.
     *
     * @param otherwise what to do when there is no such file
     */
    static String mappingFile(String file, String otherwise) {
        try {
            return JSON.readTree(Files.readString(Path.of(file))).toString();
        } catch (JsonProcessingException e) {
            throw new UsageException("the mapping in %s is no JSON: %s".formatted(file, e.getOriginalMessage()));
        } catch (IOException e) {
            throw new UsageException("the mapping %s cannot be read: %s".formatted(file, otherwise));
        }
    }
}
