package io.penstock.bench.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What was published stays readable, and says what was measured. */
final class PublishedResultsTest {
    private static final Path PUBLISHED = Path.of("..", "results", "published");

    static Stream<Path> folders() throws IOException {
        try (Stream<Path> all = Files.list(PUBLISHED)) {
            return all.filter(Files::isDirectory).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("folders")
    void canBeReadAndIsNoFirstLook(Path folder) {
        Result result = ResultFile.read(folder);

        assertThat(result.experiment().name()).isEqualTo(String.valueOf(folder.getFileName()));
        assertThat(result.isRough()).isFalse();
        assertThat(folder.resolve("report.md")).isNotEmptyFile();
        assertThat(folder.resolve("report.html")).isNotEmptyFile();
    }
}
