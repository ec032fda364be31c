package io.penstock.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Where an option that was not given gets its value: from the environment ({@code PENSTOCK_BULK_BYTES} for
 * {@code --bulk-bytes}), then from the file that {@code --config} names, whose keys are the options' long names.
 */
final class Defaults implements IDefaultValueProvider {
    private final Map<String, String> environment;
    private Map<String, Object> config = Map.of();

    Defaults(Map<String, String> environment) {
        this.environment = environment;
    }

    /** Reads a configuration file; options parsed after this see it. */
    void read(Path file) {
        try (var reader = Files.newBufferedReader(file)) {
            Object content = new Yaml(new SafeConstructor(new LoaderOptions())).load(reader);
            if (!(content instanceof Map<?, ?> map)) {
                throw new UsageException("%s has no options: write one 'option: value' a line".formatted(file));
            }
            config = map.entrySet().stream().collect(Collectors.toMap(entry -> String.valueOf(entry.getKey()), entry ->
                    (Object) entry.getValue()));
        } catch (YAMLException e) {
            throw new UsageException("%s is no YAML: %s".formatted(file, e.getMessage()));
        } catch (IOException e) {
            throw new UsageException("%s cannot be read (%s)".formatted(file, e.getMessage()));
        }
    }

    /** Names in the configuration file that no option has. */
    Collection<String> unknown(Collection<String> known) {
        return config.keySet().stream()
                .filter(name -> !known.contains(name))
                .sorted()
                .toList();
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        if (!(argument instanceof OptionSpec option) || !option.longestName().startsWith("--")) {
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
