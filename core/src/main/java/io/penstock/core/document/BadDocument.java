package io.penstock.core.document;

/**
 * A unit of the input that cannot become a document. It goes to the dead letters; the reader goes on behind it.
 *
 * @param type a short word for the kind of fault, for example {@code parse}, {@code encoding}, {@code too_large},
 *     {@code id}: the same fault always has the same word, because runs of one kind stop a load
 * @param reason one sentence for a person, without the document's content
 * @param body the original bytes, or {@link Body#EMPTY} when there are too many to keep
 * @param bytes how many bytes the original has, also when they are not kept
 * @param position where it begins in its partition
 */
public record BadDocument(String type, String reason, Body body, long bytes, Position position) implements Reading {}
