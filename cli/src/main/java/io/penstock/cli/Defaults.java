package io.penstock.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import picocli.CommandLine;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Where an option that was not given gets its value: from the environment ({@code PENSTOCK_BULK_BYTES} for
 * {@code --bulk-bytes}), then from the file that {@code --config} names, whose keys are the options' long names.
 */
final class Defaults implements IDefaultValueProvider {
    private final Map<String, String> environment;
    private volatile Map<String, Object> config = Map.of();
    private @Nullable Path configFile;
    private FileTime configTime = FileTime.fromMillis(0);

    Defaults(Map<String, String> environment) {
        this.environment = environment;
    }

    /** Reads the file that the arguments or the environment name, if they do. */
    void readConfig(String[] arguments) {
        if (arguments.length > 0 && arguments[0].equals("feed")) {
            return; // there it is what is fed, not what options are by default
        }
        String file = environment.get("PENSTOCK_CONFIG");
        for (int i = 0; i < arguments.length && !arguments[i].equals("--"); i++) {
            if (arguments[i].startsWith("--config=")) {
                file = arguments[i].substring("--config=".length());
            } else if (arguments[i].equals("--config") && i + 1 < arguments.length) {
                file = arguments[i + 1];
            }
        }
        if (file != null) {
            configFile = Path.of(file);
            readChanged();
            refuseUnknown(file);
        }
    }

    /** Reads the file again if it has changed since; whether it has. */
    boolean readChanged() {
        Path file = configFile;
        if (file == null) {
            return false;
        }
        try {
            FileTime time = Files.getLastModifiedTime(file);
            if (time.equals(configTime)) {
                return false;
            }
            configTime = time;
            read(file);
            return true;
        } catch (IOException e) {
            throw new UsageException("the configuration %s cannot be read: name a file".formatted(file));
        }
    }

    private void read(Path file) throws IOException {
        try (var reader = Files.newBufferedReader(file)) {
            Object content = new Yaml(new SafeConstructor(new LoaderOptions())).load(reader);
            if (!(content instanceof Map<?, ?> map)) {
                throw new UsageException("%s has no options: write one 'option: value' a line".formatted(file));
            }
            var options = new TreeMap<String, Object>();
            map.forEach((name, value) -> options.put(String.valueOf(name), value == null ? "" : value));
            config = options;
        } catch (YAMLException e) {
            throw new UsageException("%s is no YAML: %s".formatted(file, e.getMessage()));
        }
    }

    /** A misspelt option that were passed over in silence could load the wrong thing. */
    private void refuseUnknown(String file) {
        Set<String> known = new HashSet<>();
        addOptions(Penstock.commandLine(environment), known); // it may hold options of other verbs too
        for (Map.Entry<String, Object> entry : config.entrySet()) {
            if (!known.contains("--" + entry.getKey())) {
                throw new UsageException("%s: there is no option --%s".formatted(file, entry.getKey()));
            }
            if (entry.getValue() instanceof Map) {
                throw new UsageException("%s: %s is written as one text, 'name=value'".formatted(file, entry.getKey()));
            }
        }
    }

    private static void addOptions(CommandLine commandLine, Set<String> known) {
        commandLine.getCommandSpec().options().forEach(option -> known.addAll(List.of(option.names())));
        commandLine.getSubcommands().values().forEach(verb -> addOptions(verb, known));
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        if (!(argument instanceof OptionSpec option)
                || !option.longestName().startsWith("--")
                || option.usageHelp()
                || option.versionHelp()) {
            return null;
        }
        String name = option.longestName().substring(2);
        String value =
                environment.get("PENSTOCK_" + name.toUpperCase(Locale.ROOT).replace('-', '_'));
        if (value != null) {
            return value;
        }
        Object configured = config.get(name);
        return switch (configured) {
            case null -> null;
            case Collection<?> values -> values.stream().map(String::valueOf).collect(Collectors.joining(","));
            default -> configured.toString();
        };
    }
}
