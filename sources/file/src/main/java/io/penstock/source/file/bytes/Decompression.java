package io.penstock.source.file.bytes;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.penstock.core.source.SourceException.Reason;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * Undoes gzip, zstd, bzip2 and xz, recognised by the first bytes, whatever the file is called.
 *
 * <p>Two promises that the decoders alone do not keep: a compressed input ends normally only if it was consumed to its
 * last byte, and what could be decoded in front of a fault is handed out before the fault is thrown.
 */
public final class Decompression {
    private static final int STORED_BUFFER_BYTES = 64 * 1024;
    private static final int MAGIC_BYTES = 10;
    /** How compressed inputs begin, in hexadecimal; a question mark is any digit. */
    private static final List<String> SIGNATURES =
            List.of("1f8b", "28b52ffd", "5?2a4d18", "425a683?314159265359", "425a683?177245385090", "fd377a585a00");

    /** Far above what {@code xz -9} needs (65 MiB); a forged dictionary size must not take the heap. */
    private static final int XZ_MEMORY_KIB = 160 * 1024;

    private Decompression() {}

    /** The bytes behind {@code stored}, decompressed if they are compressed. */
    public static InputStream open(InputStream stored) throws IOException {
        var buffered = new BufferedInputStream(stored, STORED_BUFFER_BYTES);
        String magic = magic(buffered);
        var watched = new EndWatch(buffered);
        if (magic.startsWith("1f8b")) {
            return new Decoded("gzip", watched, GzipMembers::new);
        }
        if (magic.startsWith("28b52ffd") || magic.matches("5.2a4d18")) {
            return new Decoded("zstd", watched, ZstdInputStreamNoFinalizer::new);
        }
        if (magic.startsWith("425a68")) {
            return new Decoded("bzip2", watched, in -> new BZip2CompressorInputStream(in, true));
        }
        if (magic.startsWith("fd377a585a00")) {
            return new Decoded("xz", watched, in -> new XZInputStream(in, XZ_MEMORY_KIB));
        }
        return buffered;
    }

    /**
     * The first bytes in hexadecimal if a compressed input begins so, else the empty text. Takes no more bytes than
     * that needs: whoever writes into a pipe may wait long behind a short first line.
     */
    private static String magic(InputStream buffered) throws IOException {
        buffered.mark(MAGIC_BYTES);
        var magic = new StringBuilder();
        Optional<String> signature;
        do {
            int value = buffered.read();
            if (value < 0) {
                break;
            }
            magic.append(HexFormat.of().toHexDigits((byte) value));
            signature = SIGNATURES.stream().filter(whole -> agree(whole, magic)).findFirst();
        } while (signature.isPresent() && signature.get().length() > magic.length());
        buffered.reset();
        return SIGNATURES.stream().anyMatch(whole -> whole.length() == magic.length() && agree(whole, magic))
                ? magic.toString()
                : "";
    }

    private static boolean agree(String signature, CharSequence magic) {
        for (int i = 0; i < magic.length(); i++) {
            if (signature.charAt(i) != '?' && signature.charAt(i) != magic.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Remembers that the decoder wanted more than there is: then the input is cut, not corrupt. */
    private static final class EndWatch extends FilterInputStream {
        private boolean ended;

        EndWatch(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int value = in.read();
            ended |= value < 0;
            return value;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int read = in.read(target, offset, length);
            ended |= read < 0;
            return read;
        }
    }

    /** Makes a decoder, which may read the first header and find it broken. */
    private interface Opener {
        InputStream open(InputStream stored) throws IOException;
    }

    /** A decoder whose faults are told exactly once the bytes in front of them were handed out, and ever after. */
    private static final class Decoded extends InputStream {
        private final String method;
        private final EndWatch stored;
        private final Opener opener;
        private @Nullable InputStream decoder;
        private @Nullable IOException failure;

        Decoded(String method, EndWatch stored, Opener opener) {
            this.method = method;
            this.stored = stored;
            this.opener = opener;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (failure != null) {
                throw failure;
            }
            long before = produced();
            try {
                if (decoder == null) {
                    decoder = opener.open(stored);
                }
                return decoder.read(target, offset, length);
            } catch (IOException | RuntimeException e) {
                failure = toFailure(e);
            }
            // The decoder had put this many bytes into the target when it met the fault.
            int salvaged = (int) (produced() - before);
            if (salvaged > 0) {
                return salvaged;
            }
            throw failure;
        }

        /** Bytes decoded so far; 0 for decoders that tell a fault only once the bytes in front were taken. */
        private long produced() {
            return switch (decoder) {
                case GzipMembers gzip -> gzip.produced();
                case BZip2CompressorInputStream bzip2 -> bzip2.getBytesRead();
                case null, default -> 0;
            };
        }

        private IOException toFailure(Exception cause) {
            if (cause instanceof BrokenInputException broken) {
                return broken;
            }
            return cause instanceof EOFException || stored.ended
                    ? new BrokenInputException(
                            Reason.TRUNCATED, "its " + method + " stream is cut short: " + cause.getMessage(), cause)
                    : new BrokenInputException(
                            Reason.CORRUPT, "its " + method + " stream is corrupt: " + cause.getMessage(), cause);
        }

        @Override
        public void close() throws IOException {
            // Decoders free native memory when closed, and close the stored bytes below them.
            try (stored) {
                if (decoder != null) {
                    decoder.close();
                }
            }
        }
    }
}
