package io.penstock.core.checkpoint;

import io.penstock.core.state.DurableFiles;
import io.penstock.core.state.StateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Step 7 of the load path. Keeps the newest checkpoint of a job and the one before it. Used by one thread. */
public final class CheckpointStore {
    private final Path file;
    private final Path previous;

    /** Keeps them in the job's own folder. */
    public CheckpointStore(Path folder) {
        this.file = folder.resolve("checkpoint");
        this.previous = folder.resolve("checkpoint.previous");
    }

    /** Where it is written. */
    public Path file() {
        return file;
    }

    /**
     * The newest checkpoint that is whole, or nothing when there has never been one.
     *
     * @throws StateException with UNREADABLE when there is one and none is whole: starting from the beginning must be
     *     somebody's decision
     */
    public Optional<Checkpoint> read() {
        Optional<byte[]> newest = content(file);
        Optional<byte[]> older = content(previous);
        Optional<Checkpoint> whole = newest.flatMap(Checkpoint::parse).or(() -> older.flatMap(Checkpoint::parse));
        if (whole.isEmpty() && (newest.isPresent() || older.isPresent())) {
            throw new StateException(
                    StateException.Reason.UNREADABLE,
                    "the checkpoint %s is damaged: --restart begins anew and writes the same documents again"
                            .formatted(file),
                    null);
        }
        return whole;
    }

    /** Writes a checkpoint; it is on the disk when this returns. */
    public void write(Checkpoint checkpoint) {
        DurableFiles.replace(file, previous, checkpoint.toBytes());
    }

    /** Forgets the job's progress. */
    public void delete() {
        try {
            Files.deleteIfExists(file);
            Files.deleteIfExists(previous);
        } catch (IOException e) {
            throw new StateException(StateException.Reason.NOT_WRITTEN, "cannot remove " + file, e);
        }
    }

    private static Optional<byte[]> content(Path path) {
        try {
            return Optional.of(Files.readAllBytes(path));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new StateException(
                    StateException.Reason.UNREADABLE,
                    "cannot read the checkpoint %s (%s): make it readable, or begin anew with --restart"
                            .formatted(path, e.getMessage()),
                    e);
        }
    }
}
