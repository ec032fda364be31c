package io.penstock.cli;

import io.penstock.cluster.ClusterOptions;
import io.penstock.cluster.Credentials;
import io.penstock.node.ClusterSpec;
import io.penstock.node.ClusterStatus;
import io.penstock.node.LocalCluster;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say which cluster, and who we are to it. */
final class ConnectionOptions {
    @Option(
            names = {"-t", "--target"},
            paramLabel = "URL",
            split = ",",
            description = "Cluster. Default: OPENSEARCH_URL, ELASTICSEARCH_URL, or a local node.")
    List<String> targets = List.of();

    @Option(
            names = {"-u", "--user"},
            paramLabel = "USER[:PASSWORD]",
            description = "User; password also as @FILE, PENSTOCK_PASSWORD or at a prompt.")
    @Nullable
    String user;

    @Option(names = "--api-key", paramLabel = "KEY", description = "API key, or @FILE.")
    @Nullable
    String apiKey;

    @Option(names = "--cacert", paramLabel = "FILE", description = "Authorities to trust for https (PEM).")
    @Nullable
    Path cacert;

    @Option(names = "--cert", paramLabel = "FILE", description = "Our own certificate (PEM).")
    @Nullable
    Path cert;

    @Option(names = "--key", paramLabel = "FILE", description = "Its private key (PEM, PKCS#8).")
    @Nullable
    Path key;

    @Option(
            names = {"-k", "--insecure"},
            description = "Trust any certificate.")
    boolean insecure;

    /** The cluster to speak to; the local one is started when nobody names another. */
    ClusterOptions options(CommonOptions common, boolean sniff, PrintWriter err) {
        List<URI> uris = addresses().map(ConnectionOptions::uri).toList();
        if (uris.isEmpty()) {
            uris = List.of(localNode(common, err));
        }
        if (insecure) {
            err.println(
                    "penstock: warning: -k trusts any certificate, so anybody between here and the cluster can read along");
        }
        return new ClusterOptions(
                uris,
                credentials(uris, user, apiKey, err),
                new ClusterOptions.Tls(
                        Optional.ofNullable(cacert), Optional.ofNullable(cert), Optional.ofNullable(key), insecure),
                sniff,
                ClusterOptions.DEFAULT_DEADLINE);
    }

    /**
     * Another cluster to read from. Nobody's credentials are sent to a cluster they were not given for.
     *
     * @param otherUser who we are there, as with {@code -u}
     * @param otherKey or the API key there
     */
    ClusterOptions source(
            String url, @Nullable String otherUser, @Nullable String otherKey, boolean sniff, PrintWriter err) {
        List<URI> uris = List.of(uri(url));
        return new ClusterOptions(
                uris,
                credentials(uris, otherUser, otherKey, err),
                new ClusterOptions.Tls(
                        Optional.ofNullable(cacert), Optional.ofNullable(cert), Optional.ofNullable(key), insecure),
                sniff,
                ClusterOptions.DEFAULT_DEADLINE);
    }

    /** The same for another process of ours, but for secrets, which are not for a command line. */
    List<String> words() {
        List<String> words = new ArrayList<>();
        targets.forEach(target -> words.addAll(List.of("--target", target)));
        if (user != null) {
            words.addAll(List.of("--user", user.replaceFirst(":[^@].*", "")));
        }
        optional("--cacert", cacert, words);
        optional("--cert", cert, words);
        optional("--key", key, words);
        if (insecure) {
            words.add("--insecure");
        }
        return words;
    }

    private static void optional(String name, @Nullable Path value, List<String> words) {
        if (value != null) {
            words.addAll(List.of(name, value.toString()));
        }
    }

    /** The secrets that belong to {@link #words}, as variables. */
    Map<String, String> secrets() {
        Map<String, String> secrets = new HashMap<>();
        if (user != null && user.contains(":") && !user.contains(":@")) {
            secrets.put("PENSTOCK_PASSWORD", user.substring(user.indexOf(':') + 1));
        } else if (user != null && System.getenv("PENSTOCK_PASSWORD") != null) {
            secrets.put("PENSTOCK_PASSWORD", System.getenv("PENSTOCK_PASSWORD"));
        }
        if (apiKey != null) {
            secrets.put("PENSTOCK_API_KEY", apiKey);
        }
        return secrets;
    }

    private Stream<String> addresses() {
        if (!targets.isEmpty()) {
            return targets.stream();
        }
        return Stream.of("OPENSEARCH_URL", "ELASTICSEARCH_URL")
                .map(System::getenv)
                .filter(value -> value != null && !value.isEmpty())
                .limit(1);
    }

    private static URI localNode(CommonOptions common, PrintWriter err) {
        LocalCluster local = LocalCluster.at(common.stateFolder());
        ClusterStatus status = local.status();
        if (!status.complete()) {
            status = local.start(local.spec().orElse(ClusterSpec.DEFAULT), line -> {
                if (!common.quiet) {
                    err.println(line);
                }
            });
        }
        return status.url()
                .orElseThrow(() -> new UsageException("the local node has no address: name a cluster with -t"));
    }

    private static URI uri(String text) {
        String full = text.contains("://") ? text : "http://" + text;
        try {
            URI uri = new URI(full);
            boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (!http || uri.getHost() == null) {
                throw new UsageException(
                        "'%s' is no address of a cluster: write for example https://search:9200".formatted(text));
            }
            if (uri.getUserInfo() != null) {
                throw new UsageException("an address cannot carry a password: use -u");
            }
            int port = uri.getPort() >= 0 ? uri.getPort() : uri.getScheme().equals("https") ? 443 : 9200;
            return new URI(uri.getScheme(), null, uri.getHost(), port, uri.getPath(), null, null);
        } catch (URISyntaxException e) {
            throw new UsageException("'%s' is no address of a cluster: %s".formatted(text, e.getReason()));
        }
    }

    private static Credentials credentials(
            List<URI> uris, @Nullable String who, @Nullable String key, PrintWriter err) {
        if (key == null && who == null) {
            return Credentials.none();
        }
        boolean plain = uris.stream().anyMatch(uri -> uri.getScheme().equals("http") && !isLoopback(uri.getHost()));
        if (plain) {
            err.println("penstock: warning: credentials are sent without TLS");
        }
        if (key != null) {
            return Credentials.apiKey(secret(key));
        }
        String name = who == null ? "" : who;
        int colon = name.indexOf(':');
        if (colon >= 0) {
            String password = name.substring(colon + 1);
            if (!password.startsWith("@")) {
                err.println(
                        "penstock: warning: others on this machine can see a password on the command line: use PENSTOCK_PASSWORD or -u USER:@FILE");
            }
            return Credentials.basic(name.substring(0, colon), secret(password));
        }
        String password = System.getenv("PENSTOCK_PASSWORD");
        return Credentials.basic(name, password == null ? prompt(name) : secret(password));
    }

    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
    }

    /** The text itself, or with {@code @} in front what a file holds, read again whenever it is asked for. */
    private static Supplier<String> secret(String text) {
        if (!text.startsWith("@")) {
            return () -> text;
        }
        Path file = Path.of(text.substring(1));
        return () -> {
            try {
                return Files.readString(file).strip();
            } catch (IOException e) {
                throw new UsageException("the secret in %s cannot be read".formatted(file));
            }
        };
    }

    @SuppressWarnings("SystemConsoleNull") // on JDK 21 it does
    private static Supplier<String> prompt(String user) {
        Console console = System.console();
        char[] typed = console == null ? null : console.readPassword("Password of %s: ", user);
        if (typed == null) {
            throw new UsageException(
                    "no password for %s: set PENSTOCK_PASSWORD, or write -u %s:@FILE".formatted(user, user));
        }
        String password = new String(typed);
        return () -> password;
    }
}
