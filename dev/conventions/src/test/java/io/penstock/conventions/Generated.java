package io.penstock.conventions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A part of a document that is made from code: between two marks, compared, and rewritten only when asked. */
final class Generated {
    private Generated() {}

    /** Compares; {@code -Dgolden=update} rewrites instead. */
    static void check(String document, String source, String content) throws IOException {
        Path file = Repository.root().resolve(document);
        String begin = "<!-- generated from " + source + "; mvn verify -Dgolden=update rewrites it -->\n";
        String end = "<!-- end of what is generated -->";
        String text = Repository.read(file);
        int from = text.indexOf(begin) + begin.length();
        int until = text.indexOf(end, from);
        assertThat(text).as(document).contains(begin, end);
        if ("update".equals(System.getProperty("golden"))) {
            Files.writeString(file, text.substring(0, from) + content + text.substring(until));
        } else {
            assertThat(text.substring(from, until)).as(document).isEqualTo(content);
        }
    }
}
