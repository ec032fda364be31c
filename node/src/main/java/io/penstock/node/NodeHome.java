package io.penstock.node;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Where servers and their data lie: inside the state folder, or apart from it where the nodes' account has no way in.
 */
final class NodeHome {
    private static final Path APART = Path.of("/var/lib/penstock");

    private NodeHome() {}

    /** The folder for the files of nodes whose state is kept in {@code state}. */
    static Path of(Path state, Account account) {
        Path home = account.reaches(state) ? state.resolve("files") : APART.resolve(hash(state));
        if (home.toString().chars().anyMatch(Character::isWhitespace)) {
            // Their start scripts pass JVM options through unquoted shell words.
            throw new NodeException(
                    NodeException.Reason.USAGE,
                    "The servers cannot run in " + home + " because its name has a space: choose another --state.");
        }
        return home;
    }

    /** Removes a folder and all in it; links are removed, not followed. */
    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException cause) throws IOException {
                if (cause instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw cause;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException cause) throws IOException {
                if (cause != null) {
                    throw cause;
                }
                Files.deleteIfExists(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static String hash(Path state) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(state.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 6);
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every JDK has SHA-256", impossible);
        }
    }
}
