package io.penstock.node;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One release of one server, as its makers publish it to Maven repositories. */
public record Distribution(Flavour flavour, String version) {
    private static final Pattern TEXT = Pattern.compile("(?:(opensearch|elasticsearch):)?(\\d[^:]*)");
    private static final Pattern VERSION = Pattern.compile("(\\d{1,3})\\.(\\d{1,3})\\.\\d{1,3}(-[A-Za-z0-9.]{1,20})?");

    /** SHA-256 of the archives that were tried. Any other version is checked only against the repository's own sum. */
    private static final Map<String, String> SHA256 = Map.of(
            "opensearch-3.6.0", "a91faa1dc1cadc78cb278b4f63847e19e1627a4e9de698e14e7efc14ee37b286",
            "opensearch-2.19.1", "af7152d8b7f6f1cee09d47276b32b70479fe6dd8cdbb61213f84eb7f8098b261",
            "elasticsearch-8.19.21", "215d5f3dbf0609a149f6218a9e47b6ae2df34ebbff3c5754e35f15a5e5393c8a",
            "elasticsearch-7.17.29", "841ee00be1a72ba8e707b5a2fb55f23fe7a4184369b4585393238b1c903eedaf");

    /** What is started when nobody asks for anything else. */
    public static final Distribution DEFAULT = new Distribution(Flavour.OPENSEARCH, "3.6.0");

    public Distribution {
        if (!VERSION.matcher(version).matches()) {
            throw wrong(version);
        }
    }

    /**
     * Reads {@code 3.6.0}, {@code opensearch:3.6.0} or {@code elasticsearch:8.19.21}.
     *
     * @throws NodeException with {@link NodeException.Reason#USAGE}
     */
    public static Distribution parse(String text) {
        Matcher matcher = TEXT.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw wrong(text);
        }
        boolean elasticsearch = "elasticsearch".equals(matcher.group(1));
        return new Distribution(elasticsearch ? Flavour.ELASTICSEARCH : Flavour.OPENSEARCH, matcher.group(2));
    }

    /** The name for a person, such as {@code OpenSearch 3.6.0}. */
    public String title() {
        return flavour.title() + " " + version;
    }

    /** The name for a folder, such as {@code opensearch-3.6.0}. */
    String folder() {
        return flavour.artifact() + "-" + version;
    }

    /** Where Maven finds the archive. The "integ-test" archives hold the plain server without its optional modules. */
    String coordinates() {
        return flavour.vendor() + ".distribution.integ-test-zip:" + flavour.artifact() + ":" + version + ":zip";
    }

    /** The SHA-256 the archive must have, where we know it. */
    Optional<String> sha256() {
        return Optional.ofNullable(SHA256.get(folder()));
    }

    /**
     * Which Java releases can run this server.
     *
     * <p>Servers built on the security manager end at JDK 23: JDK 24 removed it, and the JVM refuses the option. Found
     * by trial: 2.19.1 and 7.17.29 run on 17 and not on 25, 8.19.21 on both, 3.6.0 on 25 and asks for 21.
     */
    JavaReleases javaReleases() {
        return switch (flavour) {
            case OPENSEARCH -> major() >= 3 ? JavaReleases.from(21) : new JavaReleases(11, 23);
            case ELASTICSEARCH ->
                major() > 8
                        ? JavaReleases.from(21)
                        : major() < 8
                                ? new JavaReleases(11, 23)
                                : minor() >= 18 ? JavaReleases.from(17) : new JavaReleases(17, 23);
        };
    }

    int major() {
        return part(1);
    }

    private int minor() {
        return part(2);
    }

    private int part(int group) {
        Matcher matcher = VERSION.matcher(version);
        if (!matcher.matches()) {
            throw new AssertionError("checked by the constructor: " + version);
        }
        return Integer.parseInt(matcher.group(group));
    }

    private static NodeException wrong(String text) {
        return new NodeException(
                NodeException.Reason.USAGE,
                "\"" + text
                        + "\" is no version of a server: write it like 3.6.0, opensearch:3.6.0 or elasticsearch:8.19.21.");
    }
}
