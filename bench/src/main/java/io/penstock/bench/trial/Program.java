package io.penstock.bench.trial;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How {@code penstock} is started as a process of its own.
 *
 * @param words program and options before the verb
 * @param connection words that say which cluster, for one that is there already; empty for servers of our own
 * @param environment more variables, such as secrets, which do not belong on a command line
 */
public record Program(List<String> words, List<String> connection, Map<String, String> environment) {
    public Program {
        words = List.copyOf(words);
        connection = List.copyOf(connection);
        environment = Map.copyOf(environment);
    }

    ProcessBuilder with(List<String> arguments) {
        List<String> command = new ArrayList<>(words);
        command.addAll(arguments);
        var program = new ProcessBuilder(command).redirectInput(new File("/dev/null"));
        // What people have set for their own loads is not part of an experiment.
        program.environment().keySet().removeIf(name -> name.startsWith("PENSTOCK_"));
        program.environment().putAll(environment);
        return program;
    }
}
