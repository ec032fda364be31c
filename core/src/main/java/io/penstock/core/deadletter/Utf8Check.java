package io.penstock.core.deadletter;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Swallows bytes and says afterwards whether they were UTF-8. */
final class Utf8Check extends OutputStream {
    private static final int BLOCK_BYTES = 8192;

    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    private final ByteBuffer pending = ByteBuffer.allocate(BLOCK_BYTES);
    private final CharBuffer decoded = CharBuffer.allocate(BLOCK_BYTES);
    private boolean valid = true;

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        int done = 0;
        while (valid && done < length) {
            int take = Math.min(length - done, pending.remaining());
            pending.put(bytes, offset + done, take);
            done += take;
            decode(false);
        }
    }

    /** Whether everything written so far is whole UTF-8. */
    boolean isUtf8() {
        if (valid) {
            decode(true);
        }
        return valid;
    }

    private void decode(boolean end) {
        pending.flip();
        decoded.clear();
        valid = !decoder.decode(pending, decoded, end).isError();
        pending.compact();
    }
}
