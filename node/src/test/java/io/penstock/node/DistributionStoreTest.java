package io.penstock.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DistributionStoreTest {
    @TempDir
    Path folder;

    @Test
    void refusesAnArchiveThatIsNotTheKnownOne() throws IOException {
        Path archive = Files.writeString(folder.resolve("opensearch-3.6.0.zip"), "something else");

        assertThatThrownBy(() -> DistributionStore.verify(Distribution.DEFAULT, archive, ignored -> {}))
                .isInstanceOfSatisfying(
                        NodeException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(NodeException.Reason.CHECKSUM))
                .hasMessageContaining(DistributionStore.sha256(archive))
                .hasMessageContaining("a91faa1dc1ca");
    }

    @Test
    void saysWhenItKnowsNoChecksum() throws IOException {
        List<String> told = new ArrayList<>();

        DistributionStore.verify(Distribution.parse("3.5.0"), folder, told::add);

        assertThat(told).singleElement().asString().contains("No SHA-256 of OpenSearch 3.5.0 is known");
    }

    @Test
    void unpacksProgramsAsProgramsAndLetsEverybodyRead() throws IOException {
        Path archive = folder.resolve("a.zip");
        try (FileSystem zip =
                FileSystems.newFileSystem(archive, Map.of("create", true, "enablePosixFileAttributes", true))) {
            Files.createDirectories(zip.getPath("/server-1/bin"));
            Files.writeString(zip.getPath("/server-1/bin/start"), "#!/bin/sh\n");
            Files.writeString(zip.getPath("/server-1/private.yml"), "a: 1\n");
            Files.setPosixFilePermissions(
                    zip.getPath("/server-1/bin/start"), PosixFilePermissions.fromString("rwxr-x---"));
            Files.setPosixFilePermissions(
                    zip.getPath("/server-1/private.yml"), PosixFilePermissions.fromString("rw-rw----"));
        }

        Path server = DistributionStore.unpack(archive, Files.createDirectories(folder.resolve("out")));

        assertThat(server).isEqualTo(folder.resolve("out/server-1"));
        assertThat(permissions(server.resolve("bin/start"))).isEqualTo("rwxr-xr-x");
        assertThat(permissions(server.resolve("private.yml"))).isEqualTo("rw-r--r--");
    }

    @Test
    void findsWhatMavenComplainsAbout() {
        String output = """
                WARNING: A terminally deprecated method in sun.misc.Unsafe has been called
                [ERROR] Failed to execute goal org.x:maven-dependency-plugin:3.11.0:copy (default-cli) on project standalone-pom: Could not find artifact a:b:zip:9.9.9 in central -> [Help 1]
                [ERROR]\s
                """;

        assertThat(DistributionStore.firstError(output)).isEqualTo("Could not find artifact a:b:zip:9.9.9 in central");
        assertThat(DistributionStore.firstError("")).startsWith("Maven gave no reason");
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
