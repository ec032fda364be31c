package io.penstock.conventions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** The files of this repository, found from wherever the tests are started. Stateless. */
final class Repository {
    private static final Set<String> NOT_OURS = Set.of(".git", "target", ".idea", ".vscode");

    private Repository() {}

    /** The folder with the launcher. */
    static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("penstock")) || !Files.exists(folder.resolve("dev"))) {
            folder = Objects.requireNonNull(folder.getParent(), "the tests run outside the repository");
        }
        return folder;
    }

    /** Every file but what a build makes, with one of these endings. */
    static List<Path> files(String... endings) {
        try (Stream<Path> all = Files.walk(root())) {
            return all.filter(Files::isRegularFile)
                    .filter(Repository::isOurs)
                    .filter(file -> Stream.of(endings).anyMatch(file.toString()::endsWith))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isOurs(Path file) {
        for (Path part : root().relativize(file)) {
            if (NOT_OURS.contains(part.toString())) {
                return false;
            }
        }
        return true;
    }

    static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String read(String path) {
        return read(root().resolve(path));
    }

    /** The text between two marks of a document, or the whole of it without marks. */
    static String section(String document, String heading) {
        int from = document.indexOf("\n" + heading + "\n");
        if (from < 0) {
            throw new AssertionError("there is no heading '" + heading + "'");
        }
        int until = document.indexOf("\n## ", from + 1);
        return until < 0 ? document.substring(from) : document.substring(from, until);
    }
}
