package io.penstock.cli;

/** What was asked for cannot be; nothing has been touched. The message is one sentence with what to do. */
final class UsageException extends RuntimeException {
    UsageException(String message) {
        super(message);
    }
}
