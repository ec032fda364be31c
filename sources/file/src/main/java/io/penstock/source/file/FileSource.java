package io.penstock.source.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.core.document.Position;
import io.penstock.core.source.Partition;
import io.penstock.core.source.Source;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceException.Reason;
import io.penstock.core.source.SourceReader;
import io.penstock.source.file.bytes.Pipe;
import io.penstock.source.file.bytes.StoredInput;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Files, named pipes and standard input, one partition each, in the order they were given.
 *
 * <p>A file is what its size, time, inode and first 64 KiB say; a load that is resumed checks them, and each reader
 * does at its end. Pipes have no identity and can be read once.
 */
public final class FileSource implements Source {
    /** The operand that means standard input. */
    public static final String STANDARD_INPUT = "-";

    /** A pipe that gives nothing for so long is idle: what came before should not wait for what may come. */
    private static final Duration IDLE_MOMENT = Duration.ofMillis(200);

    private static final int IDENTITY_BYTES = 4096;
    private static final int FINGERPRINT_BYTES = 64 * 1024;

    private final List<Input> inputs;
    private final FileOptions options;
    private final InputStream standardInput;
    private final Duration idleMoment;

    /** A partition and its file; none is standard input. */
    private record Input(Partition partition, Optional<Path> path, boolean regular) {}

    private FileSource(List<Input> inputs, FileOptions options, InputStream standardInput, Duration idleMoment) {
        this.inputs = inputs;
        this.options = options;
        this.standardInput = standardInput;
        this.idleMoment = idleMoment;
    }

    /**
     * Looks the operands up: paths, globs ({@code * ? ** [] {}}), and at most once {@code -} for standard input.
     *
     * @throws SourceException with {@link Reason#GONE} if one of them is not a file that can be read
     */
    public static FileSource of(List<String> operands, FileOptions options) throws SourceException {
        return of(operands, options, new Pipe(new FileInputStream(FileDescriptor.in)), IDLE_MOMENT);
    }

    /** With a standard input of one's own; {@code idleMoment} zero never waits to see whether it is idle. */
    static FileSource of(List<String> operands, FileOptions options, InputStream standardInput, Duration idleMoment)
            throws SourceException {
        int pipe = operands.indexOf(STANDARD_INPUT);
        if (pipe != operands.lastIndexOf(STANDARD_INPUT)) {
            throw Operands.gone(STANDARD_INPUT, "(standard input) can be read only once");
        }
        List<Input> inputs = new ArrayList<>();
        List<Path> before = Operands.files(operands.subList(0, Math.max(pipe, 0)));
        addFiles(inputs, before);
        if (pipe >= 0) {
            inputs.add(new Input(pipe(inputs.size(), "standard input"), Optional.empty(), false));
        }
        List<Path> all = Operands.files(operands.stream()
                .filter(operand -> !operand.equals(STANDARD_INPUT))
                .toList());
        addFiles(inputs, all.subList(before.size(), all.size()));
        return new FileSource(List.copyOf(inputs), options, standardInput, idleMoment);
    }

    private static void addFiles(List<Input> inputs, List<Path> files) throws SourceException {
        for (Path file : files) {
            boolean regular = Files.isRegularFile(file);
            Partition partition = regular ? partition(inputs.size(), file) : pipe(inputs.size(), file.toString());
            inputs.add(new Input(partition, Optional.of(file), regular));
        }
    }

    private static Partition pipe(int ordinal, String name) {
        String once = UUID.randomUUID().toString();
        return new Partition(ordinal, name, Partition.UNKNOWN_SIZE, once, once);
    }

    private static Partition partition(int ordinal, Path file) throws SourceException {
        try {
            byte[] head = head(file);
            String path = file.toAbsolutePath().normalize().toString();
            byte[] first = Arrays.copyOf(head, Math.min(head.length, IDENTITY_BYTES));
            String identity = sha256(path.getBytes(UTF_8), new byte[1], first).substring(0, 32);
            return new Partition(ordinal, path, Files.size(file), identity, fingerprint(file, head));
        } catch (IOException e) {
            throw new SourceException(Reason.GONE, file + " cannot be read: " + e, Position.START, e);
        }
    }

    private static byte[] head(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(FINGERPRINT_BYTES);
        }
    }

    private static String fingerprint(Path file, byte[] head) throws IOException {
        boolean hasInodes = file.getFileSystem().supportedFileAttributeViews().contains("unix");
        String inode = hasInodes ? Files.getAttribute(file, "unix:ino").toString() : "none";
        long modified = Files.getLastModifiedTime(file).toMillis();
        return "size=" + Files.size(file) + " modified=" + modified + " inode=" + inode + " head=" + sha256(head);
    }

    private static String sha256(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (byte[] part : parts) {
                digest.update(part);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    Duration idleMoment() {
        return idleMoment;
    }

    @Override
    public String name() {
        String first = inputs.isEmpty() ? "nothing" : inputs.get(0).partition().name();
        return inputs.size() <= 1 ? first : first + " and " + (inputs.size() - 1) + " more";
    }

    @Override
    public List<Partition> partitions() {
        return inputs.stream().map(Input::partition).toList();
    }

    @Override
    public SourceReader open(Partition partition, Position from) throws SourceException {
        Input input = inputs.get(partition.ordinal());
        if (!input.regular() && from.offset() > 0) {
            throw new SourceException(
                    Reason.CHANGED, partition.name() + " is a pipe and cannot be read again from " + from, from);
        }
        return FileReader.open(this, partition, stored(input), options, from);
    }

    private StoredInput stored(Input input) throws SourceException {
        if (input.path().isEmpty()) {
            return StoredInput.shared(standardInput);
        }
        Path path = input.path().get();
        try {
            InputStream in =
                    input.regular() ? Files.newInputStream(path) : new Pipe(new FileInputStream(path.toFile()));
            return StoredInput.of(in, input.regular() ? input.partition().bytes() : StoredInput.ANY_SIZE);
        } catch (IOException e) {
            throw new SourceException(Reason.GONE, path + " cannot be opened: " + e, Position.START, e);
        }
    }

    @Override
    public void checkUnchanged(Partition partition) throws SourceException {
        Input input = inputs.get(partition.ordinal());
        if (!input.regular()) {
            return;
        }
        Path path = input.path().orElseThrow();
        try {
            if (!fingerprint(path, head(path)).equals(partition.fingerprint())) {
                throw new SourceException(
                        Reason.CHANGED, path + " is not what it was when the load began", Position.START);
            }
        } catch (IOException e) {
            throw new SourceException(Reason.GONE, path + " is not there any more: " + e, Position.START, e);
        }
    }

    @Override
    public boolean isResumable() {
        return inputs.stream().allMatch(Input::regular);
    }
}
