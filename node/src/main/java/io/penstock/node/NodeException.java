package io.penstock.node;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A local server cannot be had. Its message is one sentence for a person: what happened, to what, what to do. */
public final class NodeException extends RuntimeException {
    /** Why there is no server. */
    public enum Reason {
        /** What was asked for makes no sense. */
        USAGE,
        /** The cluster runs already, in another version or with another number of nodes. */
        DIFFERENT,
        /** No JDK on this machine can run that server. */
        NO_JAVA,
        /** This machine lacks something else: Maven, setpriv, an account without rights. */
        ENVIRONMENT,
        /** The archive of the server could not be fetched. */
        DOWNLOAD,
        /** The archive is not the one we know. */
        CHECKSUM,
        /** No room is left on the disk. */
        DISK_FULL,
        /** Our own files cannot be read or written. */
        FILES,
        /** The server ended, or did not answer in time. */
        NOT_STARTED,
        /** Somebody interrupted the thread that was waiting. */
        INTERRUPTED
    }

    /** Less than this is as good as nothing: not even the settings of a node can be written. */
    private static final long NO_ROOM_BYTES = 256 * 1024;

    private final Reason reason;

    public NodeException(Reason reason, String message) {
        this(reason, message, null);
    }

    public NodeException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    /** The exception for a failed access to {@code path}; finds out whether the disk is full. */
    static NodeException files(Path path, IOException cause) {
        String said = String.valueOf(cause.getMessage());
        return saysDiskFull(said) || isFull(path)
                ? diskFull(path, cause)
                : new NodeException(
                        Reason.FILES,
                        path + " cannot be read or written (" + cause.getClass().getSimpleName() + ": " + said
                                + "): check who owns it.",
                        cause);
    }

    static NodeException diskFull(Path path, @Nullable Throwable cause) {
        return new NodeException(
                Reason.DISK_FULL, "The disk that holds " + path + " is full: free some space and try again.", cause);
    }

    static NodeException interrupted() {
        Thread.currentThread().interrupt();
        return new NodeException(Reason.INTERRUPTED, "Interrupted while waiting for the local server.");
    }

    static boolean saysDiskFull(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        return lower.contains("no space left on device") || lower.contains("disk quota exceeded");
    }

    private static boolean isFull(Path path) {
        Path existing = path.toAbsolutePath();
        while (!Files.exists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        try {
            FileStore store = Files.getFileStore(existing);
            return store.getTotalSpace() > 0 && store.getUsableSpace() < NO_ROOM_BYTES;
        } catch (IOException unknown) {
            return false;
        }
    }
}
