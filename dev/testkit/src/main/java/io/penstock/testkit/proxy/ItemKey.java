package io.penstock.testkit.proxy;

/**
 * What the journal counts by: the operation and the id of a document.
 *
 * @param op {@code index}, {@code create}, {@code update} or {@code delete}
 */
public record ItemKey(String op, String id) {}
