package io.penstock.core.deadletter;

import io.penstock.core.state.AppendLog;
import java.nio.file.Path;

/**
 * Step 5 of the load path. Writes dead letters to a file that is made with the first one; they are synced before any
 * checkpoint passes them. {@link #write} belongs to one thread, {@link #sync} may come from another.
 */
public final class DeadLetterWriter implements AutoCloseable {
    private final Path file;
    private volatile @org.jspecify.annotations.Nullable AppendLog log;

    public DeadLetterWriter(Path file) {
        this.file = file;
    }

    /** Where dead letters go. */
    public Path file() {
        return file;
    }

    /**
     * Appends one dead letter.
     *
     * @throws io.penstock.core.state.StateException if it cannot be written; then no checkpoint may pass the document
     */
    public void write(DeadLetter letter) {
        AppendLog open = log;
        if (open == null) {
            open = AppendLog.open(file, DeadLetterLine.BEGIN, DeadLetterLine::isWhole);
            log = open;
        }
        open.append(out -> DeadLetterLine.write(letter, out));
    }

    /** Returns when everything written so far is on the disk. */
    public void sync() {
        AppendLog open = log;
        if (open != null) {
            open.sync();
        }
    }

    @Override
    public void close() {
        AppendLog open = log;
        if (open != null) {
            open.close();
        }
    }

    /** Whether a line of a dead letter file, without its line end, is as it was written. */
    public static boolean isWhole(byte[] line) {
        return DeadLetterLine.isWhole(line);
    }
}
