package io.penstock.cli;

import io.penstock.core.load.RateLimit;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** How fast documents may be sent. */
final class RateOptions {
    private static final String DOCUMENTS = "max-docs-rate";
    private static final String BYTES = "max-rate";
    private static final Duration LOOK = Duration.ofSeconds(1);

    @Option(names = "--" + DOCUMENTS, paramLabel = "N", description = "Most documents a second. Default: no limit.")
    @Nullable
    String documents;

    @Option(
            names = "--" + BYTES,
            paramLabel = "SIZE/s",
            description = "Most bytes of documents a second. With --config both may change meanwhile.")
    @Nullable
    String bytes;

    private final RateLimit limit = RateLimit.none();

    /** One limit for the whole command, with what the options say now. */
    RateLimit limit() {
        set(documents, bytes);
        return limit;
    }

    /** Whether bytes are limited, which a cluster that copies by itself cannot do. */
    boolean limitsBytes() {
        return bytes != null;
    }

    /** Looks once a second whether the configuration file says another rate; the command line's own stays. */
    void followConfig(CommandLine command) {
        var defaults = (Defaults) command.getDefaultValueProvider();
        Thread.ofVirtual().name("configuration").start(() -> {
            try {
                while (true) {
                    Thread.sleep(LOOK);
                    reload(command, defaults);
                }
            } catch (InterruptedException e) {
                // The command has ended.
            }
        });
    }

    private void reload(CommandLine command, Defaults defaults) {
        try {
            if (defaults.readChanged()) {
                set(reloaded(command, defaults, DOCUMENTS, documents), reloaded(command, defaults, BYTES, bytes));
                command.getErr().println("the configuration was read again");
            }
        } catch (UsageException e) {
            command.getErr().println("penstock: warning: the rates stay as they were: " + e.getMessage());
        }
    }

    private static @Nullable String reloaded(
            CommandLine command, Defaults defaults, String name, @Nullable String given) {
        boolean onCommandLine = command.getParseResult().hasMatchedOption("--" + name);
        return onCommandLine
                ? given
                : defaults.defaultValue(command.getCommandSpec().findOption("--" + name));
    }

    private void set(@Nullable String documentsText, @Nullable String bytesText) {
        double documentRate = documentsText == null ? Double.POSITIVE_INFINITY : documents(documentsText);
        double byteRate = bytesText == null ? Double.POSITIVE_INFINITY : bytes(bytesText);
        limit.set(documentRate, byteRate);
    }

    private static double documents(String text) {
        try {
            double rate = Double.parseDouble(text);
            if (rate > 0 && Double.isFinite(rate)) {
                return rate;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new UsageException("--%s is a number of documents a second, not '%s'".formatted(DOCUMENTS, text));
    }

    private static double bytes(String text) {
        String size = text.strip().toLowerCase(Locale.ROOT);
        try {
            return ByteSize.parse(size.endsWith("/s") ? size.substring(0, size.length() - 2) : size)
                    .bytes();
        } catch (IllegalArgumentException e) {
            throw new UsageException("--%s is a size a second, for example 5mb/s, not '%s'".formatted(BYTES, text));
        }
    }
}
