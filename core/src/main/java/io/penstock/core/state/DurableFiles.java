package io.penstock.core.state;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/** Writes that are on the disk when they return. Stateless. */
public final class DurableFiles {
    private DurableFiles() {}

    /** Makes a folder that only its owner may enter, with its parents. Refuses one behind a symbolic link. */
    public static Path privateFolder(Path folder) {
        try {
            if (Files.isSymbolicLink(folder)) {
                throw new StateException(
                        StateException.Reason.UNREADABLE, folder + " is a symbolic link: name the folder itself", null);
            }
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectories(
                        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
            return folder;
        } catch (IOException e) {
            throw StateException.notWritten(folder, e);
        }
    }

    /**
     * Replaces a file so that a crash leaves the old content or the new, never a mixture: temporary file, sync, rename,
     * sync of the folder. The old content is kept beside it under {@code previous}.
     *
     * @throws StateException with NOT_WRITTEN when nothing has changed, NOT_SYNCED when the disk did not confirm
     */
    public static void replace(Path file, Path previous, byte[] content) {
        Path temporary = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel channel = openPrivate(
                temporary,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING))) {
            writeFully(channel, ByteBuffer.wrap(content));
            sync(channel, temporary);
        } catch (IOException e) {
            throw StateException.notWritten(file, e);
        }
        try {
            if (Files.exists(file)) {
                Files.move(file, previous, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw StateException.notWritten(file, e);
        }
        syncFolder(file);
    }

    /** The text in a file that is written when it is first asked for, and stays. */
    public static String textOnce(Path file, Supplier<String> text) {
        try {
            if (!Files.exists(file)) {
                replace(
                        file,
                        file.resolveSibling(file.getFileName() + ".previous"),
                        text.get().getBytes(UTF_8));
            }
            return Files.readString(file);
        } catch (IOException e) {
            throw new StateException(
                    StateException.Reason.UNREADABLE, "%s cannot be read: make it readable".formatted(file), e);
        }
    }

    /** Opens a file readable by its owner only; never through a symbolic link. */
    static FileChannel openPrivate(Path file, Set<StandardOpenOption> options) throws IOException {
        var all = new HashSet<OpenOption>(options);
        all.add(LinkOption.NOFOLLOW_LINKS);
        return FileChannel.open(
                file, all, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    /** A channel may write less than asked without an error, as on a disk that is nearly full. */
    static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                throw new IOException("No space left on device");
            }
        }
    }

    /** Never repeated: after a failed sync the next one reports success for pages that were dropped. */
    static void sync(FileChannel channel, Path file) {
        try {
            channel.force(true);
        } catch (IOException e) {
            throw notSynced(file, e);
        }
    }

    private static void syncFolder(Path file) {
        Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            throw notSynced(folder, e);
        }
    }

    private static StateException notSynced(Path file, IOException cause) {
        return new StateException(
                StateException.Reason.NOT_SYNCED,
                "the disk did not confirm a write to %s (%s): check the disk, then run the same command again"
                        .formatted(file, cause.getMessage()),
                cause);
    }
}
