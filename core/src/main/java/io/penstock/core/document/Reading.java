package io.penstock.core.document;

/** What a reader found next: a document, something that cannot be one, nothing for now, or the end of the partition. */
public sealed interface Reading permits Document, BadDocument, Idle, EndOfPartition {}
