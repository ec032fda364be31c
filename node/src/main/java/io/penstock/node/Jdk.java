package io.penstock.node;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Java installation on this machine and its feature release. */
public record Jdk(Path home, int release) {
    private static final Pattern JAVA_VERSION =
            Pattern.compile("^JAVA_VERSION=\"(?:1\\.)?(\\d+)[^\"]*\"", Pattern.MULTILINE);

    /**
     * The installation to use: what the user names comes first ({@code PENSTOCK_JAVA_HOME}, {@code JAVA_HOME}), then
     * the Java that runs us, then the {@code PATH}, then the newest one in the usual folders.
     *
     * @param usable further demand on the folder, such as that another account can reach it
     */
    public static Optional<Jdk> find(JavaReleases releases, Predicate<Path> usable) {
        return all().stream()
                .filter(jdk -> releases.contains(jdk.release()) && usable.test(jdk.home()))
                .findFirst();
    }

    /** Every installation there is, the preferred ones first. */
    public static List<Jdk> all() {
        List<Jdk> found = new ArrayList<>();
        preferred(System.getenv()).forEach(home -> at(home).ifPresent(found::add));
        Path user = Path.of(System.getProperty("user.home"));
        List<Path> usual = List.of(
                Path.of("/usr/lib/jvm"),
                user.resolve(".sdkman/candidates/java"),
                user.resolve(".jdks"),
                Path.of("/Library/Java/JavaVirtualMachines"),
                user.resolve("Library/Java/JavaVirtualMachines"));
        found.addAll(inFolders(usual));
        return found.stream().distinct().toList();
    }

    static List<Path> preferred(Map<String, String> environment) {
        List<Path> homes = new ArrayList<>();
        for (String name : List.of("PENSTOCK_JAVA_HOME", "JAVA_HOME")) {
            String value = environment.getOrDefault(name, "");
            if (!value.isBlank()) {
                homes.add(Path.of(value));
            }
        }
        homes.add(Path.of(System.getProperty("java.home")));
        for (Path folder : Command.path()) {
            try {
                Path real = folder.resolve("java").toRealPath().getParent();
                if (real != null && real.getParent() != null) {
                    homes.add(real.getParent());
                }
            } catch (IOException absent) {
                // Most folders of the PATH hold no java.
            }
        }
        return homes;
    }

    /** What is installed inside these folders, the newest first. */
    static List<Jdk> inFolders(List<Path> folders) {
        List<Jdk> found = new ArrayList<>();
        for (Path folder : folders) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
                entries.forEach(entry ->
                        at(entry).or(() -> at(entry.resolve("Contents/Home"))).ifPresent(found::add));
            } catch (IOException absent) {
                // Not every system has each of these folders.
            }
        }
        found.sort(Comparator.comparingInt(Jdk::release).reversed().thenComparing(Jdk::home));
        return found;
    }

    /** What is installed here, if this is a Java installation that says its version. */
    static Optional<Jdk> at(Path home) {
        try {
            if (!Files.isExecutable(home.resolve("bin/java"))) {
                return Optional.empty();
            }
            Matcher version = JAVA_VERSION.matcher(Files.readString(home.resolve("release")));
            return version.find()
                    ? Optional.of(new Jdk(home.toRealPath(), Integer.parseInt(version.group(1))))
                    : Optional.empty();
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }
}
