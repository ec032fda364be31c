package io.penstock.source.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.core.document.BadDocument;
import io.penstock.core.document.Body;
import io.penstock.core.document.Document;
import io.penstock.core.document.EndOfPartition;
import io.penstock.core.document.Idle;
import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.core.source.Partition;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;

/** Everything a reader gave, as text, with the positions between. */
record Readings(
        List<String> lines,
        List<Position> positions,
        @Nullable SourceException failure) {
    static final long SEED = Long.getLong("seed", System.nanoTime());

    static RandomGenerator random() {
        return RandomGeneratorFactory.of("L64X128MixRandom").create(SEED);
    }

    static String seed() {
        return "-Dseed=" + SEED;
    }

    /** Reads all from standard input, in pieces of random size. */
    static Readings of(byte[] content, FileOptions options) {
        try {
            var source = FileSource.of(List.of("-"), options, pieces(content, random()), Duration.ZERO);
            return of(source, source.partitions().get(0), Position.START);
        } catch (SourceException e) {
            throw new AssertionError(e);
        }
    }

    static Readings of(String content, FileOptions options) {
        return of(content.getBytes(UTF_8), options);
    }

    static Readings of(String content, Format format) {
        return of(content, FileOptions.of(format));
    }

    static Readings of(FileSource source, Partition partition, Position from) {
        List<String> lines = new ArrayList<>();
        List<Position> positions = new ArrayList<>();
        try (SourceReader reader = source.open(partition, from)) {
            positions.add(reader.position());
            while (true) {
                Reading reading = reader.next();
                if (reading instanceof EndOfPartition) {
                    return new Readings(lines, positions, null);
                }
                if (!(reading instanceof Idle)) {
                    lines.add(text(reading));
                    positions.add(reader.position());
                }
            }
        } catch (SourceException e) {
            return new Readings(lines, positions, e);
        }
    }

    static FileSource file(Path folder, byte[] content, FileOptions options) {
        try {
            Path file = Files.createTempFile(folder, "input", "");
            Files.write(file, content);
            return FileSource.of(List.of(file.toString()), options);
        } catch (IOException | SourceException e) {
            throw new AssertionError(e);
        }
    }

    /** Checks that a reader opened at any position gives exactly the rest. */
    void checkResume(FileSource source) {
        for (int i = 0; i < positions.size(); i++) {
            var rest = of(source, source.partitions().get(0), positions.get(i));
            if (!rest.lines.equals(lines.subList(i, lines.size())) || rest.failure != null) {
                throw new AssertionError("from " + positions.get(i) + ": " + rest + ", " + seed());
            }
        }
    }

    /** The failure, if it is known that there is one. */
    SourceException failed() {
        return Objects.requireNonNull(failure, "nothing failed");
    }

    private static String text(Reading reading) {
        return switch (reading) {
            case Document document ->
                "%d/%d %s%s %s"
                        .formatted(
                                document.position().offset(),
                                document.position().line(),
                                document.operation().actionName(),
                                address(document),
                                text(document.body()));
            case BadDocument bad ->
                "%d/%d BAD %s[%d] %s | %s"
                        .formatted(
                                bad.position().offset(),
                                bad.position().line(),
                                bad.type(),
                                bad.bytes(),
                                text(bad.body()),
                                bad.reason());
            case Idle idle -> throw new AssertionError(idle);
            case EndOfPartition end -> throw new AssertionError(end);
        };
    }

    private static String address(Document document) {
        return (document.id() == null ? "" : " id=" + document.id())
                + (document.routing() == null ? "" : " routing=" + document.routing())
                + (document.version() == Document.NO_VERSION ? "" : " version=" + document.version())
                + (document.index() == null ? "" : " index=" + document.index())
                + (document.extraMetadata() == null ? "" : " extra=" + document.extraMetadata());
    }

    private static String text(Body body) {
        // One character per byte, so that no byte can be lost or replaced unseen.
        String text = new String(body.toBytes(), java.nio.charset.StandardCharsets.ISO_8859_1);
        return text.length() > 2000 ? text.hashCode() + ":" + text.length() : text;
    }

    static InputStream pieces(byte[] content, RandomGenerator random) {
        return new InputStream() {
            private final ByteArrayInputStream in = new ByteArrayInputStream(content);

            @Override
            public int read() {
                return in.read();
            }

            @Override
            public int read(byte[] target, int offset, int length) {
                int longest = random.nextInt(4) == 0 ? 7 : 100_000;
                return in.read(target, offset, Math.min(length, 1 + random.nextInt(longest)));
            }
        };
    }

    static byte[] bytes(Object... parts) {
        var all = new ByteArrayOutputStream();
        for (Object part : parts) {
            all.writeBytes(
                    part instanceof byte[] bytes ? bytes : part.toString().getBytes(UTF_8));
        }
        return all.toByteArray();
    }
}
