package io.penstock.core.delivery;

/**
 * Why a document goes to the dead letters.
 *
 * @param item its place in the batch
 * @param status HTTP status of the item or of the request, or 0
 * @param type the server's error type, or our word for it
 * @param reason the reason, in the server's words or ours
 * @param attempts how often it was sent
 */
public record Rejection(int item, int status, String type, String reason, int attempts) {}
