package io.penstock.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeHomeTest {
    private static final Account OWN = new Account(false, 1000, 1000);
    private static final Account NOBODY = new Account(true, 65_534, 65_534);

    @TempDir
    Path folder;

    @Test
    void liesInTheStateFolderWhereTheAccountGetsIn() {
        assertThat(NodeHome.of(folder, OWN)).isEqualTo(folder.resolve("files"));
    }

    @Test
    void liesApartWhereOthersHaveNoWayIn() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));

        Path home = NodeHome.of(folder.resolve("state"), NOBODY);

        assertThat(home.getParent()).isEqualTo(Path.of("/var/lib/penstock"));
        assertThat(home).isEqualTo(NodeHome.of(folder.resolve("state"), NOBODY));
        assertThat(home).isNotEqualTo(NodeHome.of(folder.resolve("other"), NOBODY));
    }

    @Test
    void refusesAFolderWithASpace() {
        assertThatThrownBy(() -> NodeHome.of(folder.resolve("my state"), OWN))
                .isInstanceOf(NodeException.class)
                .hasMessageContaining("choose another --state");
    }

    @Test
    void removesLinksButNotWhatTheyPointTo() throws IOException {
        Path kept = Files.writeString(folder.resolve("kept"), "x");
        Path tree = Files.createDirectories(folder.resolve("tree/deep"));
        Files.createSymbolicLink(tree.resolve("link"), kept);

        NodeHome.delete(folder.resolve("tree"));
        NodeHome.delete(folder.resolve("absent"));

        assertThat(folder.resolve("tree")).doesNotExist();
        assertThat(kept).exists();
    }
}
