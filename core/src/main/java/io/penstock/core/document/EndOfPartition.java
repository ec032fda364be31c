package io.penstock.core.document;

/** The partition has been read to its last byte. */
public record EndOfPartition() implements Reading {
    /** The only one needed. */
    public static final EndOfPartition END = new EndOfPartition();
}
