package io.penstock.cli;

/** Text for terminals. Stateless. */
final class Text {
    private Text() {}

    /** The text without control characters, which could steer a terminal: documents end up in error messages. */
    static String printable(String text) {
        var clean = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (Character.isISOControl(c)) {
                clean.append(String.format("\\u%04x", c));
            } else {
                clean.appendCodePoint(c);
            }
        });
        return clean.toString();
    }
}
