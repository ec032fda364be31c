package io.penstock.node;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A short command of the operating system: its exit status and all it printed. */
record Command(int status, String output) {
    /**
     * Runs it to its end.
     *
     * @throws IOException if it cannot be run, or takes longer than the limit (it is then killed)
     */
    static Command run(Duration limit, Path directory, List<String> words) throws IOException {
        // A file rather than a pipe: nothing to drain while waiting, and no reader that a grandchild keeps waiting.
        Path output = Files.createTempFile("penstock-command", ".txt");
        try {
            Process process = new ProcessBuilder(words)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectInput(new File("/dev/null"))
                    .redirectOutput(output.toFile())
                    .start();
            try {
                if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw new IOException(words.getFirst() + " did not end within " + limit.toSeconds() + " s");
                }
            } catch (InterruptedException interrupted) {
                throw NodeException.interrupted();
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
            return new Command(process.exitValue(), Files.readString(output, StandardCharsets.ISO_8859_1));
        } finally {
            Files.deleteIfExists(output);
        }
    }

    /** The program of that name on the {@code PATH}. */
    static Optional<Path> onPath(String name) {
        return path().stream()
                .map(folder -> folder.resolve(name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** The folders of the {@code PATH}. */
    static List<Path> path() {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("/usr/local/bin:/usr/bin:/bin");
        return List.of(path.split(File.pathSeparator)).stream()
                .filter(folder -> !folder.isBlank())
                .map(Path::of)
                .toList();
    }
}
