package io.penstock.source.file.bytes;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * A zstd stream of one or more frames that ends only at the end of a frame.
 *
 * <p>The library's own stream class forgets that a further frame has begun when that frame lies in the same read buffer
 * as the end of the one before, and takes a cut in it for the end of the file.
 */
final class ZstdFrames extends InputStream {
    private static final int BUFFER_BYTES = 128 * 1024;

    private final InputStream stored;
    private final ZstdDecompressCtx context = new ZstdDecompressCtx();
    private final byte[] chunk = new byte[BUFFER_BYTES];
    private final ByteBuffer compressed =
            ByteBuffer.allocateDirect(BUFFER_BYTES).limit(0);
    private final ByteBuffer decoded = ByteBuffer.allocateDirect(BUFFER_BYTES).limit(0);
    private boolean insideFrame;

    ZstdFrames(InputStream stored) {
        this.stored = stored;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (!decoded.hasRemaining()) {
            if (!compressed.hasRemaining() && !fill()) {
                return -1;
            }
            decode();
        }
        int read = Math.min(length, decoded.remaining());
        decoded.get(target, offset, read);
        return read;
    }

    private boolean fill() throws IOException {
        int read = stored.read(chunk, 0, chunk.length);
        if (read < 0) {
            if (insideFrame) {
                throw new EOFException("the last frame is not whole");
            }
            return false;
        }
        compressed.clear().put(chunk, 0, read).flip();
        return true;
    }

    private void decode() throws IOException {
        decoded.clear();
        try {
            insideFrame = !context.decompressDirectByteBufferStream(decoded, compressed);
        } catch (ZstdException e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            decoded.flip();
        }
    }

    @Override
    public void close() throws IOException {
        context.close();
        stored.close();
    }
}
