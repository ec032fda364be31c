package io.penstock.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JdkTest {
    @TempDir
    Path folder;

    @Test
    void findsTheNewestFirstAlsoInsideAMacBundle() throws IOException {
        install("jdk-17", "17.0.12");
        install("jdk-8", "1.8.0_402");
        install("temurin.jdk/Contents/Home", "25.0.3");
        Files.createDirectories(folder.resolve("empty"));

        assertThat(Jdk.inFolders(List.of(folder, folder.resolve("absent"))))
                .extracting(Jdk::release)
                .containsExactly(25, 17, 8);
    }

    @Test
    void passesOverAFolderThatDoesNotSayItsVersion() throws IOException {
        Files.writeString(install("odd", "21").resolve("release"), "IMPLEMENTOR=\"x\"\n");

        assertThat(Jdk.at(folder.resolve("odd"))).isEmpty();
    }

    @Test
    void whatTheUserNamesComesFirst() {
        assertThat(Jdk.preferred(Map.of("JAVA_HOME", "/b", "PENSTOCK_JAVA_HOME", "/a")))
                .startsWith(Path.of("/a"), Path.of("/b"), Path.of(System.getProperty("java.home")));
        assertThat(Jdk.preferred(Map.of("JAVA_HOME", ""))).startsWith(Path.of(System.getProperty("java.home")));
    }

    @Test
    void theJavaThatRunsThisIsFound() {
        int own = Runtime.version().feature();

        assertThat(Jdk.find(new JavaReleases(own, own), home -> true)).isPresent();
        assertThat(Jdk.find(JavaReleases.from(1), home -> false)).isEmpty();
    }

    private Path install(String name, String version) throws IOException {
        Path home = folder.resolve(name);
        Files.createDirectories(home.resolve("bin"));
        Path java = Files.writeString(home.resolve("bin/java"), "");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
        return home;
    }
}
