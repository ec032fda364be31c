package io.penstock.node;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Unpacked servers, one folder for each version, read-only for the nodes that share it.
 *
 * <p>A folder is there whole or not at all: it is unpacked under another name and renamed. Archives come through the
 * user's own Maven, and so through the repositories, mirrors and proxies set up there.
 */
@SuppressWarnings("try") // A lock is held, not used.
final class DistributionStore {
    private static final Duration DOWNLOAD_LIMIT = Duration.ofMinutes(20);
    private static final Duration INSTALL_LIMIT = Duration.ofMinutes(2);
    private static final String COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy";
    private static final Set<PosixFilePermission> READ = PosixFilePermissions.fromString("rw-r--r--");
    private static final Set<PosixFilePermission> ENTER = PosixFilePermissions.fromString("rwxr-xr-x");

    private final Path folder;

    DistributionStore(Path folder) {
        this.folder = folder;
    }

    /**
     * The folder of that server; fetches, verifies and unpacks it if it is not there yet. A server with plugins is one
     * of its own, named after their bytes, so that a new build of a plugin is never taken for the old one.
     *
     * @param jdk runs the server's program that installs plugins
     */
    Path provide(Distribution distribution, List<Path> plugins, Jdk jdk, Consumer<String> progress) {
        Path home = folder.resolve(distribution.folder());
        try {
            for (Path plugin : plugins) {
                home = home.resolveSibling(
                        home.getFileName() + "-" + sha256(plugin).substring(0, 12));
            }
            if (Files.isDirectory(home)) {
                return home;
            }
            Runnable waiting =
                    () -> progress.accept("Waiting for another process that unpacks " + distribution.title());
            try (FolderLock lock = FolderLock.take(home.resolveSibling(home.getFileName() + ".lock"), waiting)) {
                return Files.isDirectory(home) ? home : create(distribution, plugins, jdk, home, progress);
            }
        } catch (NoSuchFileException missing) {
            throw new NodeException(
                    NodeException.Reason.USAGE, "There is no plugin " + missing.getFile() + ": build it first.");
        } catch (IOException failed) {
            throw NodeException.files(home, failed);
        }
    }

    private Path create(Distribution distribution, List<Path> plugins, Jdk jdk, Path home, Consumer<String> progress)
            throws IOException {
        // Under the lock any such folder is what a killed process left behind.
        Path work = folder.resolve("." + home.getFileName() + ".tmp");
        NodeHome.delete(work);
        Path downloads = Files.createDirectories(work.resolve("downloads"));
        try {
            progress.accept("Fetching " + distribution.title());
            Path archive = download(distribution, downloads);
            verify(distribution, archive, progress);
            progress.accept("Unpacking " + distribution.title());
            Path unpacked = unpack(archive, Files.createDirectories(work.resolve("unpacked")));
            for (Path plugin : plugins) {
                progress.accept("Installing " + plugin.getFileName());
                install(distribution, plugin, jdk, unpacked);
            }
            return Files.move(unpacked, home, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            NodeHome.delete(work);
        }
    }

    /** As a user would, by the server's own program. */
    private static void install(Distribution distribution, Path plugin, Jdk jdk, Path server) throws IOException {
        Command install = Command.run(
                INSTALL_LIMIT,
                server,
                List.of(
                        "env",
                        distribution.flavour().environment() + "_JAVA_HOME=" + jdk.home(),
                        server.resolve("bin/" + distribution.flavour().artifact() + "-plugin")
                                .toString(),
                        "install",
                        "--batch",
                        plugin.toAbsolutePath().toUri().toString()));
        if (install.status() != 0) {
            String why = install.output()
                    .lines()
                    .filter(line -> line.startsWith("ERROR") || line.contains("Exception"))
                    .findFirst()
                    .orElse("it gave no reason");
            throw new NodeException(
                    NodeException.Reason.USAGE,
                    plugin + " cannot be installed in " + distribution.title() + ": " + why + ".");
        }
    }

    private static Path download(Distribution distribution, Path downloads) throws IOException {
        String maven = Command.onPath("mvn")
                .map(Path::toString)
                .orElseThrow(() -> new NodeException(
                        NodeException.Reason.ENVIRONMENT,
                        distribution.title() + " is fetched with Maven, and there is no mvn on the PATH:"
                                + " install Maven 3.8 or newer (Debian: apt-get install maven)."));
        // An empty folder, because Maven would take the project and the settings of the one we happen to be in.
        Path empty = Files.createTempDirectory("penstock-maven");
        try {
            Command copy = Command.run(
                    DOWNLOAD_LIMIT,
                    empty,
                    List.of(
                            maven,
                            "-q",
                            "-B",
                            "-C",
                            COPY,
                            "-Dartifact=" + distribution.coordinates(),
                            "-DoutputDirectory=" + downloads,
                            "-Dmdep.useBaseVersion=true"));
            Path archive = downloads.resolve(distribution.folder() + ".zip");
            if (copy.status() == 0 && Files.exists(archive)) {
                return archive;
            }
            throw NodeException.saysDiskFull(copy.output())
                    ? NodeException.diskFull(downloads, null)
                    : new NodeException(
                            NodeException.Reason.DOWNLOAD,
                            distribution.title() + " could not be fetched: " + firstError(copy.output()));
        } finally {
            NodeHome.delete(empty);
        }
    }

    /** Maven's first complaint, without what it says about its own switches. */
    static String firstError(String output) {
        return output.lines()
                .filter(line -> line.contains("[ERROR]"))
                .map(line -> line.replaceFirst(".*\\[ERROR] *", "")
                        .replaceFirst("^Failed to execute goal .*? on project \\S+: ", "")
                        .replaceFirst(" -> \\[Help \\d+]$", "")
                        .strip())
                .filter(line -> !line.isEmpty())
                .findFirst()
                .orElse("Maven gave no reason; run mvn -v to see whether it works.");
    }

    static void verify(Distribution distribution, Path archive, Consumer<String> progress) throws IOException {
        if (distribution.sha256().isEmpty()) {
            progress.accept("No SHA-256 of " + distribution.title()
                    + " is known here; Maven compared it with the checksum of the repository");
            return;
        }
        String expected = distribution.sha256().get();
        String actual = sha256(archive);
        if (!expected.equals(actual)) {
            throw new NodeException(
                    NodeException.Reason.CHECKSUM,
                    "The archive of " + distribution.title() + " has the SHA-256 " + actual + " instead of " + expected
                            + ": remove it from your Maven repository and see where it came from.");
        }
    }

    static String sha256(Path file) throws IOException {
        try (InputStream bytes = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            try (DigestInputStream reading = new DigestInputStream(bytes, digest)) {
                reading.transferTo(OutputStream.nullOutputStream());
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every JDK has SHA-256", impossible);
        }
    }

    /** Unpacks the archive and returns the one folder it holds. Everybody may read it and start its scripts. */
    static Path unpack(Path archive, Path target) throws IOException {
        // The file system rather than ZipInputStream, because only it tells which files can be executed.
        try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("enablePosixFileAttributes", true));
                Stream<Path> entries = Files.walk(zip.getPath("/"))) {
            for (Path entry : (Iterable<Path>) entries::iterator) {
                Path path = target.resolve(entry.toString().substring(1)).normalize();
                if (!path.startsWith(target)) {
                    throw new IOException("the archive points outside itself with " + entry);
                }
                extract(entry, path);
            }
        }
        try (Stream<Path> top = Files.list(target)) {
            List<Path> folders = top.toList();
            if (folders.size() != 1) {
                throw new IOException("the archive holds " + folders.size() + " folders instead of one");
            }
            return folders.getFirst();
        }
    }

    private static void extract(Path entry, Path path) throws IOException {
        if (Files.isDirectory(entry)) {
            Files.createDirectories(path);
            Files.setPosixFilePermissions(path, ENTER);
            return;
        }
        Files.copy(entry, path);
        boolean program = Files.getPosixFilePermissions(entry).contains(PosixFilePermission.OWNER_EXECUTE);
        Files.setPosixFilePermissions(path, program ? ENTER : READ);
    }
}
