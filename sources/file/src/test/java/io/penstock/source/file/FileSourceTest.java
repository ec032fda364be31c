package io.penstock.source.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.penstock.core.document.Operation;
import io.penstock.core.document.Position;
import io.penstock.core.source.Partition;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceException.Reason;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileSourceTest {
    @TempDir
    Path folder;

    @BeforeEach
    void makeFiles() throws IOException {
        Files.createDirectories(folder.resolve("sub/deep"));
        for (String name :
                List.of("b.ndjson", "a.ndjson", "c.txt", ".hidden.ndjson", "sub/d.ndjson", "sub/deep/e.ndjson")) {
            Files.writeString(folder.resolve(name), "{\"name\":\"" + name + "\"}\n");
        }
    }

    @Test
    void findsFilesInOrderAndEachOnce() throws Exception {
        assertThat(names("b.ndjson", "*.ndjson")).containsExactly("b.ndjson", "a.ndjson");
        assertThat(names("**/*.ndjson")).containsExactly("a.ndjson", "b.ndjson", "sub/d.ndjson", "sub/deep/e.ndjson");
        assertThat(names("sub/**")).containsExactly("sub/d.ndjson", "sub/deep/e.ndjson");
        assertThat(names("[ab].{ndjson,txt}", "?.txt")).containsExactly("a.ndjson", "b.ndjson", "c.txt");
        Files.writeString(folder.resolve("x[1].ndjson"), "");
        assertThat(names("x[1].ndjson")).containsExactly("x[1].ndjson");
    }

    @Test
    void refusesWhatIsNoFile() {
        assertGone("nothing.ndjson", "does not exist");
        assertGone("*.json", "matches no file");
        assertGone("none/*.json", "matches no file");
        assertGone("sub", "is a directory; use " + folder.resolve("sub") + "/*.ndjson");
        assertGone("[", "is not a path: Missing ']");
        assertThatThrownBy(() -> FileSource.of(List.of("-", "-"), FileOptions.defaults()))
                .hasMessage("- (standard input) can be read only once");
    }

    @Test
    void readsAnEmptyFileWhateverItsFormat() throws Exception {
        Path empty = Files.writeString(folder.resolve("empty"), "");
        for (Format format : Format.values()) {
            var source = FileSource.of(List.of(empty.toString()), FileOptions.of(format));
            var readings = Readings.of(source, source.partitions().get(0), Position.START);

            assertThat(readings.lines()).as(format.word()).isEmpty();
            assertThat(readings.failure()).as(format.word()).isNull();
        }
    }

    @Test
    void readsStandardInputOnce() throws Exception {
        var source = FileSource.of(
                List.of(path("a.ndjson"), "-", path("b.ndjson")),
                FileOptions.defaults(),
                new ByteArrayInputStream(Readings.bytes("{\"a\":1}")),
                Duration.ofMillis(20));
        Partition input = source.partitions().get(1);

        assertThat(source.partitions())
                .extracting(Partition::name)
                .containsExactly(path("a.ndjson"), "standard input", path("b.ndjson"));
        assertThat(source.isResumable()).isFalse();
        assertThat(input.bytes()).isEqualTo(Partition.UNKNOWN_SIZE);
        assertThat(Readings.of(source, input, Position.START).lines()).containsExactly("0/1 index {\"a\":1}");
        assertThat(Readings.of(source, input, new Position(8, 2)).failed().reason())
                .isEqualTo(Reason.CHANGED);
    }

    /** Whoever writes into the pipe waits for nothing but what it has written already. */
    @Test
    void readsAShortFirstLineOfAPipeWithoutWaitingForMore() throws Exception {
        for (String first : List.of("{\"n\":1}", "1,2", "BZh9")) {
            var silent = new InputStream() {
                private final byte[] line = Readings.bytes(first + "\n");
                private int taken;

                @Override
                public int read(byte[] target, int offset, int length) {
                    assertThat(taken).as("asked for more than the first line").isZero();
                    taken = Math.min(length, line.length);
                    System.arraycopy(line, 0, target, offset, taken);
                    return taken;
                }

                @Override
                public int read() {
                    throw new UnsupportedOperationException("read in bulk");
                }
            };
            var source = FileSource.of(List.of("-"), FileOptions.of(Format.NDJSON), silent, Duration.ZERO);
            try (var reader = source.open(source.partitions().get(0), Position.START)) {
                assertThat(reader.next()).as(first).isNotNull();
            }
        }
    }

    @Test
    void tellsTheFormatByTheContent() {
        assertThat(detect("x.csv", " [")).contains(Format.JSON);
        assertThat(detect("x.csv", "\n{\"index\":{}}\n{}")).contains(Format.BULK);
        assertThat(detect("x", "{\"index\":{},\"a\":1}")).contains(Format.NDJSON);
        assertThat(detect("x", "{\"index\":1}")).contains(Format.NDJSON);
        assertThat(detect("x", "{\"doc\":{}}")).contains(Format.NDJSON);
        assertThat(detect("x", "\ufeff{")).contains(Format.NDJSON);
        assertThat(detect("x.csv", "::1 - - [17/May/2015:10:05:03 +0000] \"-\" 408 -\r\n"))
                .contains(Format.APACHE);
        assertThat(detect("x.TSV.gz", "a,b")).contains(Format.TSV);
        assertThat(detect("x.csv", "a")).contains(Format.CSV);
        assertThat(detect("x", "a,b\tc")).contains(Format.TSV);
        assertThat(detect("x", "a,b")).contains(Format.CSV);
        assertThat(detect("x", "a b")).isEmpty();
        assertThat(Readings.of("what is this\n", Format.AUTO).failed())
                .hasMessageContaining("cannot tell the format of standard input; use --format");
    }

    private static Optional<Format> detect(String name, String content) {
        return FormatDetection.detect(name, Readings.bytes(content));
    }

    @Test
    void noticesThatAFileChanged() throws Exception {
        Path file = folder.resolve("a.ndjson");
        FileTime time = Files.getLastModifiedTime(file);
        var source = FileSource.of(List.of(file.toString()), FileOptions.defaults());
        Partition partition = source.partitions().get(0);
        source.checkUnchanged(partition);

        Files.writeString(file, "{\"name\":\"A.ndjson\"}\n");
        Files.setLastModifiedTime(file, time);
        assertChanged(source, partition);
        Partition changed = FileSource.of(List.of(file.toString()), FileOptions.defaults())
                .partitions()
                .get(0);
        assertThat(changed.identity()).isNotEqualTo(partition.identity());

        Files.delete(file);
        assertThatThrownBy(() -> source.checkUnchanged(partition))
                .asInstanceOf(type(SourceException.class))
                .extracting(SourceException::reason)
                .isEqualTo(Reason.GONE);
    }

    @Test
    void noticesThatAFileIsReplacedByAnEqualOne() throws Exception {
        Path file = folder.resolve("a.ndjson");
        var source = FileSource.of(List.of(file.toString()), FileOptions.defaults());
        Path copy = Files.copy(file, folder.resolve("copy"), java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        Files.move(copy, file, StandardCopyOption.REPLACE_EXISTING);

        assertChanged(source, source.partitions().get(0));
    }

    @Test
    void doesNotTakeTheRestOfAShortenedFileForItsLastLine() throws Exception {
        Path file = large();
        var source = FileSource.of(List.of(file.toString()), FileOptions.defaults());
        Partition partition = source.partitions().get(0);
        try (var reader = source.open(partition, Position.START)) {
            reader.next();
            try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
                channel.truncate(partition.bytes() - 5);
            }
            assertThatThrownBy(() -> {
                        for (int i = 1; i < 100_000; i++) {
                            reader.next();
                        }
                    })
                    .asInstanceOf(type(SourceException.class))
                    .extracting(SourceException::reason)
                    .isEqualTo(Reason.CHANGED);
            assertThat(reader.position()).isEqualTo(new Position(99_999 * 10, 100_000));
        }
    }

    @Test
    void stopsBehindTheOldEndOfAFileThatGrew() throws Exception {
        Path file = large();
        var source = FileSource.of(List.of(file.toString()), FileOptions.defaults());
        Files.writeString(file, "{\"more\":1}\n", StandardOpenOption.APPEND);

        var readings = Readings.of(source, source.partitions().get(0), Position.START);

        assertThat(readings.lines()).hasSize(100_000);
        assertThat(readings.failed().reason()).isEqualTo(Reason.CHANGED);
    }

    @Test
    void tellsHowFarItReadAFileThatWasReplaced() throws Exception {
        Path file = folder.resolve("a.ndjson");
        var source = FileSource.of(List.of(file.toString()), FileOptions.defaults());
        try (var reader = source.open(source.partitions().get(0), Position.START)) {
            reader.next();
            Files.move(folder.resolve("b.ndjson"), file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            assertThatThrownBy(reader::next)
                    .asInstanceOf(type(SourceException.class))
                    .extracting(SourceException::reason, SourceException::position)
                    .containsExactly(Reason.CHANGED, new Position(20, 2));
        }
    }

    private Path large() throws IOException {
        return Files.writeString(folder.resolve("large"), "{\"a\":123}\n".repeat(100_000));
    }

    @Test
    void refusesOptionsThatServersWouldRefuseForEachDocument() {
        assertThatThrownBy(() -> options(Operation.DELETE, "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options(Operation.UPDATE, "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options(Operation.CREATE, "v")).isInstanceOf(IllegalArgumentException.class);
        assertThat(options(Operation.INDEX, "v").versionField()).contains("v");
    }

    private static FileOptions options(Operation operation, String versionField) {
        Optional<String> version = Optional.of(versionField).filter(name -> !name.isEmpty());
        return new FileOptions(Format.AUTO, operation, Optional.empty(), Optional.empty(), version, 1);
    }

    private String path(String operand) {
        return folder.resolve("x").toString().replaceFirst("x$", "") + operand;
    }

    private List<String> names(String... operands) throws SourceException {
        var source = FileSource.of(List.of(operands).stream().map(this::path).toList(), FileOptions.defaults());
        return source.partitions().stream()
                .map(partition -> folder.relativize(Path.of(partition.name())).toString())
                .toList();
    }

    private void assertGone(String operand, String message) {
        assertThatThrownBy(() -> FileSource.of(List.of(path(operand)), FileOptions.defaults()))
                .hasMessage(path(operand) + " " + message)
                .asInstanceOf(type(SourceException.class))
                .extracting(SourceException::reason)
                .isEqualTo(Reason.GONE);
    }

    private static void assertChanged(FileSource source, Partition partition) {
        assertThatThrownBy(() -> source.checkUnchanged(partition))
                .asInstanceOf(type(SourceException.class))
                .extracting(SourceException::reason)
                .isEqualTo(Reason.CHANGED);
    }
}
