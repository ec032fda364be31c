package io.penstock.cli;

import java.util.Locale;

/** What an index or alias can be called. Stateless. */
final class IndexNames {
    private IndexNames() {}

    /** The rules of {@code MetadataCreateIndexService.validateIndexOrAliasName} (OpenSearch 3.6). */
    static void check(String name) {
        boolean bad = name.isEmpty()
                || !name.equals(name.toLowerCase(Locale.ROOT))
                || name.startsWith("_")
                || name.startsWith("-")
                || name.startsWith("+")
                || name.equals(".")
                || name.equals("..")
                || name.chars().anyMatch(c -> "\\/*?\"<>| ,#:".indexOf(c) >= 0)
                || name.length() > 255;
        if (bad) {
            throw new UsageException(
                    "'%s' cannot name an index: lower case, no spaces, none of \\ / * ? \" < > | , # :, and not starting with _ - +"
                            .formatted(name));
        }
    }
}
