package io.penstock.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who the nodes run as: we ourselves, or the account {@code nobody} when we are root, because the servers refuse root.
 *
 * @param other whether it is another account than ours
 */
record Account(boolean other, int uid, int gid) {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** The account for nodes on this machine. */
    static Account forNodes() {
        int own = id("-u");
        if (own != 0) {
            return new Account(false, own, own);
        }
        if (Command.onPath("setpriv").isEmpty()) {
            throw new NodeException(
                    NodeException.Reason.ENVIRONMENT,
                    "The server refuses to run as root and setpriv is not installed to start it as nobody:"
                            + " install util-linux, or run this as another user.");
        }
        return new Account(true, id("-u", "nobody"), id("-g", "nobody"));
    }

    /** What to put before a command to run it as this account. */
    List<String> prefix() {
        return other
                ? List.of("setpriv", "--reuid", "" + uid, "--regid", "" + gid, "--clear-groups", "--no-new-privs")
                : List.of();
    }

    /** Whether this account can go into the folder: every folder above it must let others through. */
    boolean reaches(Path folder) {
        if (!other) {
            return true;
        }
        for (Path step = folder.toAbsolutePath(); step != null; step = step.getParent()) {
            try {
                if (Files.exists(step)
                        && !Files.getPosixFilePermissions(step).contains(PosixFilePermission.OTHERS_EXECUTE)) {
                    return false;
                }
            } catch (IOException | UnsupportedOperationException unknown) {
                return false;
            }
        }
        return true;
    }

    /** Makes this account the owner of a folder and all in it. */
    void own(Path folder) throws IOException {
        if (!other) {
            return;
        }
        try (Stream<Path> tree = Files.walk(folder)) {
            for (Path path : (Iterable<Path>) tree::iterator) {
                Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
                Files.setAttribute(path, "unix:gid", gid, LinkOption.NOFOLLOW_LINKS);
            }
        }
    }

    private static int id(String... arguments) {
        List<String> words =
                Stream.concat(Stream.of("id"), Stream.of(arguments)).toList();
        try {
            Command id = Command.run(LIMIT, Path.of("/"), words);
            if (id.status() == 0) {
                return Integer.parseInt(id.output().strip());
            }
        } catch (IOException | NumberFormatException failed) {
            throw noAccount(words, failed);
        }
        throw noAccount(words, null);
    }

    private static NodeException noAccount(List<String> words, @Nullable Exception cause) {
        return new NodeException(
                NodeException.Reason.ENVIRONMENT,
                "\"" + String.join(" ", words) + "\" does not say which account the server can run as:"
                        + " run this as a user other than root.",
                cause);
    }
}
