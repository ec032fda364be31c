package io.penstock.job;

import java.util.ArrayList;
import java.util.List;

/** What went wrong in a job so far, in the order it did. Used by one thread after the other. */
final class Troubles {
    private final List<ExitCode> exits = new ArrayList<>();
    private final List<String> messages = new ArrayList<>();

    /** @param message one sentence for people: what happened, to what, what to do */
    void fail(ExitCode code, String message) {
        exits.add(code);
        messages.add(message);
    }

    /** Something that is told elsewhere, such as dead letters in their file. */
    void add(ExitCode code) {
        exits.add(code);
    }

    /** The settings of an index are not what they were before. */
    void notRestored(String why) {
        fail(ExitCode.SETTINGS_NOT_RESTORED, why);
    }

    boolean isEmpty() {
        return exits.isEmpty();
    }

    List<ExitCode> exits() {
        return List.copyOf(exits);
    }

    List<String> messages() {
        return List.copyOf(messages);
    }
}
