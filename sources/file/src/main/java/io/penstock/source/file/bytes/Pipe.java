package io.penstock.source.file.bytes;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;

/**
 * A pipe or standard input. Whoever waits in it for bytes can be interrupted, which closes it; a plain
 * {@link FileInputStream} would go on waiting, and a load that is told to stop with it. Not thread-safe.
 */
public final class Pipe extends InputStream {
    private final FileInputStream in;
    private final InputStream interruptible;

    /** Reads from {@code in}, which nobody else must read. */
    public Pipe(FileInputStream in) {
        this.in = in;
        this.interruptible = Channels.newInputStream(in.getChannel());
    }

    @Override
    public int read() throws IOException {
        return interruptible.read();
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        return interruptible.read(target, offset, length);
    }

    /** What can be taken without waiting; a channel does not know that of a pipe. */
    @Override
    public int available() throws IOException {
        return in.available();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
