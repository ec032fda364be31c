package io.penstock.source.file;

import io.penstock.core.document.Position;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;

/** Paths and globs as a user gives them, made into files that exist. */
final class Operands {
    private Operands() {}

    /** The files, in the order of the operands, those of a glob sorted, each once. */
    static List<Path> files(List<String> operands) throws SourceException {
        Map<Path, Path> byRealPath = new LinkedHashMap<>();
        for (String operand : operands) {
            for (Path file : filesOf(operand)) {
                byRealPath.putIfAbsent(realPath(file), file);
            }
        }
        return List.copyOf(byRealPath.values());
    }

    private static List<Path> filesOf(String operand) throws SourceException {
        try {
            if (isGlob(operand) && !isThere(operand)) {
                return matches(operand);
            }
            return List.of(existing(Path.of(operand)));
        } catch (InvalidPathException e) {
            throw gone(operand, "is not a path: " + e.getReason());
        } catch (IOException | UncheckedIOException e) {
            throw gone(operand, "cannot be looked up: " + e.getMessage());
        }
    }

    private static boolean isThere(String operand) {
        try {
            return Files.exists(Path.of(operand));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private static Path existing(Path path) throws SourceException {
        if (Files.isDirectory(path)) {
            throw gone(path.toString(), "is a directory; use " + path + "/*.ndjson");
        }
        if (!Files.exists(path)) {
            throw gone(path.toString(), "does not exist");
        }
        if (!Files.isReadable(path)) {
            throw gone(path.toString(), "may not be read by this user");
        }
        return path;
    }

    private static boolean isGlob(String text) {
        return text.chars().anyMatch(c -> "*?[{".indexOf(c) >= 0);
    }

    private static List<Path> matches(String glob) throws IOException, SourceException {
        int special = 0;
        while (!isGlob(glob.substring(special, special + 1))) {
            special++;
        }
        int split = glob.lastIndexOf('/', special) + 1;
        Path base = Path.of(split == 0 ? "." : glob.substring(0, split));
        String pattern = glob.substring(split);
        List<Path> found = new ArrayList<>();
        if (Files.isDirectory(base)) {
            try (Stream<Path> files = Files.walk(base, depth(pattern))) {
                for (Path file : (Iterable<Path>) files.sorted()::iterator) {
                    if (isMatch(pattern, base.relativize(file)) && !Files.isDirectory(file)) {
                        found.add(existing(split == 0 ? base.relativize(file) : file));
                    }
                }
            }
        }
        if (found.isEmpty()) {
            throw gone(glob, "matches no file");
        }
        return found;
    }

    private static int depth(String pattern) {
        return pattern.contains("**")
                ? Integer.MAX_VALUE
                : (int) pattern.chars().filter(c -> c == '/').count() + 1;
    }

    /** As in a shell: {@code **}{@code /} also means no folder at all, and hidden files must be asked for. */
    private static boolean isMatch(String pattern, Path relative) {
        Path name = relative.getFileName();
        String lastPart = pattern.substring(pattern.lastIndexOf('/') + 1);
        if (name == null || (name.toString().startsWith(".") && !lastPart.startsWith("."))) {
            return false;
        }
        return matcher(pattern).matches(relative)
                || matcher(pattern.replace("**/", "")).matches(relative);
    }

    private static PathMatcher matcher(String pattern) {
        try {
            return FileSystems.getDefault().getPathMatcher("glob:" + pattern);
        } catch (PatternSyntaxException e) {
            throw new InvalidPathException(pattern, e.getDescription());
        }
    }

    private static Path realPath(Path file) throws SourceException {
        if (!Files.isRegularFile(file)) {
            return file.toAbsolutePath(); // What /dev/fd/63 leads to has no path.
        }
        try {
            return file.toRealPath();
        } catch (IOException e) {
            throw gone(file.toString(), "cannot be looked up: " + e.getMessage());
        }
    }

    static SourceException gone(String what, String message) {
        return new SourceException(Reason.GONE, what + " " + message, Position.START);
    }
}
