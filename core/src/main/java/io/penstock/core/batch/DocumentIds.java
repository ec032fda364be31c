package io.penstock.core.batch;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Makes ids for documents that have none, from the job, the partition's content and the document's position: the same
 * document gets the same id on every run, so a resend, a resume or a crash never makes a second copy.
 *
 * <p>An id is seven characters for job and partition, one for the length of what follows, and the byte offset in base
 * 64. The alphabet is in ASCII order, so ids of one partition increase with the position: Lucene appends increasing ids
 * cheaply and its term dictionary shares their prefixes. Not thread-safe.
 */
public final class DocumentIds {
    private static final byte[] ALPHABET =
            "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".getBytes(StandardCharsets.US_ASCII);
    private static final int PREFIX_CHARACTERS = 7;
    private static final int BITS = 6;

    private final byte[] characters = new byte[PREFIX_CHARACTERS + 1 + 11];

    /**
     * @param index the name of the index that the job loads
     * @param partitionIdentity the partition's {@linkplain io.penstock.core.source.Partition#identity() identity}
     */
    public DocumentIds(String index, String partitionIdentity) {
        byte[] digest = sha256(index + '\0' + partitionIdentity);
        long bits = 0;
        for (int i = 0; i < 6; i++) {
            bits = bits << 8 | (digest[i] & 0xff);
        }
        for (int i = 0; i < PREFIX_CHARACTERS; i++) {
            characters[i] = ALPHABET[(int) (bits & 63)];
            bits >>>= BITS;
        }
    }

    /** The id of the document at this offset, 9 to 19 ASCII characters. */
    @SuppressWarnings("deprecation") // the only constructor that copies Latin-1 bytes without a decoder
    public String at(long offset) {
        int digits = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(offset) + BITS - 1) / BITS);
        int end = PREFIX_CHARACTERS + 1 + digits;
        characters[PREFIX_CHARACTERS] = ALPHABET[digits];
        long rest = offset;
        for (int i = end - 1; i > PREFIX_CHARACTERS; i--) {
            characters[i] = ALPHABET[(int) (rest & 63)];
            rest >>>= BITS;
        }
        return new String(characters, 0, 0, end);
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
