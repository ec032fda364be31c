package io.penstock.cli;

import io.penstock.core.state.DurableFiles;
import java.nio.file.Path;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that every verb has: how much is said, and where state is kept. */
final class CommonOptions {
    @Option(
            names = "--state",
            paramLabel = "DIR",
            description = "Folder for checkpoints, dead letters, the local node. Default: XDG state folder.")
    @Nullable
    Path state;

    @Option(
            names = {"-q", "--quiet"},
            description = "Say only what went wrong.")
    boolean quiet;

    @Option(
            names = {"-v", "--verbose"},
            description = "Say more, and where in the code an error comes from.")
    void verbose(boolean verbose) {
        Penstock.LIBRARIES.setLevel(verbose ? Level.INFO : Level.OFF);
        Penstock.OURS.setLevel(verbose ? Level.FINE : Level.INFO);
        for (Handler handler : Logger.getLogger("").getHandlers()) {
            handler.setLevel(Level.FINE);
        }
    }

    Path stateFolder() {
        if (state != null) {
            return state.toAbsolutePath().normalize();
        }
        String xdg = System.getenv("XDG_STATE_HOME");
        String home = System.getenv().getOrDefault("HOME", System.getProperty("user.home"));
        Path base = xdg == null || xdg.isEmpty() ? Path.of(home, ".local", "state") : Path.of(xdg);
        return DurableFiles.privateFolder(base.resolve("penstock"));
    }
}
