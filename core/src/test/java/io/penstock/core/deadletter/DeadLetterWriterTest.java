package io.penstock.core.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.core.document.Position;
import io.penstock.core.state.StateException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeadLetterWriterTest {
    @TempDir
    private Path folder;

    @Test
    void aLineTornByACrashIsRemovedBeforeTheNextIsWritten() throws IOException {
        Path file = folder.resolve("dead-letters.ndjson");
        write(file);
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, whole.length / 2), StandardOpenOption.APPEND);

        write(file);

        assertThat(Files.readString(file).lines())
                .hasSize(2)
                .allMatch(line -> DeadLetterWriter.isWhole(line.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void aFirstLineTornByACrashIsRemoved() throws IOException {
        Path file = folder.resolve("dead-letters.ndjson");
        Files.writeString(file, "{\"ti");

        write(file);

        assertThat(Files.readString(file).lines()).hasSize(1);
    }

    @Test
    void aFileOfSomebodyElseIsNotCutBack() throws IOException {
        Path file = folder.resolve("notes.ndjson");
        Files.writeString(file, "{\"mine\":1}\n{\"mine\":2}\n");

        assertThatThrownBy(() -> write(file))
                .isInstanceOf(StateException.class)
                .hasMessageContaining("holds something else");
        assertThat(file).hasContent("{\"mine\":1}\n{\"mine\":2}\n");
    }

    @Test
    void twoLoadsDoNotWriteToOneFile() throws IOException {
        Path file = folder.resolve("dead-letters.ndjson");
        try (var first = new DeadLetterWriter(file)) {
            first.write(letter());

            assertThatThrownBy(() -> write(file))
                    .isInstanceOf(StateException.class)
                    .hasMessageContaining("written to by another load");
            first.write(letter());
        }
        assertThat(Files.readString(file).lines()).hasSize(2);
    }

    private static void write(Path file) {
        try (var writer = new DeadLetterWriter(file)) {
            writer.write(letter());
        }
    }

    private static DeadLetter letter() {
        return new DeadLetter(
                Instant.EPOCH,
                "a.ndjson",
                new Position(0, 1),
                400,
                "mapper_parsing_exception",
                "no date",
                1,
                "{\"index\":{\"_id\":\"1\"}}".getBytes(StandardCharsets.UTF_8),
                out -> out.write('x'),
                1);
    }
}
