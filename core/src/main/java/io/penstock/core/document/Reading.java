package io.penstock.core.document;

/** What a reader found next: a document, something that cannot be one, or the end of the partition. */
public sealed interface Reading permits Document, BadDocument, EndOfPartition {}
