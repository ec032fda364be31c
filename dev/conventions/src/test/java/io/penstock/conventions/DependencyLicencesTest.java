package io.penstock.conventions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Reads the bill of materials that the build wrote just before. */
class DependencyLicencesTest {
    private static final Set<String> ALLOWED =
            Set.of("Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "CC0-1.0");

    /** What their own files say, where the name of the licence alone does not settle it. */
    private static final Map<String, String> LOOKED_AT = Map.of(
            "antlr4-runtime", "BSD with three clauses; its POM names no number of them",
            "jakarta.ws.rs-api", "EPL-2.0, unchanged, in a jar of its own",
            "mariadb-java-client", "LGPL, unchanged, in a jar of its own that anybody can replace",
            "re2j", "Go's licence, which is BSD with three clauses");

    @Test
    void whatIsShippedHasALicenceThatAllowsIt() throws IOException {
        Path bill = Repository.root().resolve("target/penstock-sbom.json");
        assumeTrue(Files.exists(bill), "the bill of materials is made by mvn package and later");
        var others = new TreeMap<String, Set<String>>();
        JsonNode components =
                new ObjectMapper().readTree(Files.readString(bill)).path("components");
        for (JsonNode component : components) {
            var licences = new TreeSet<String>();
            component
                    .path("licenses")
                    .forEach(licence ->
                            licences.add(licence.path("license").path("id").asText("unknown")));
            String name = component.path("name").asText();
            if ((licences.isEmpty() || !ALLOWED.containsAll(licences)) && !LOOKED_AT.containsKey(name)) {
                others.put(name, licences);
            }
        }
        assertThat(components).hasSizeGreaterThan(10);
        assertThat(others).isEmpty();
    }
}
