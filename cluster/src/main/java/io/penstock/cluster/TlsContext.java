package io.penstock.cluster;

import io.penstock.job.TargetException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.apache.hc.core5.ssl.SSLContextBuilder;

/** Makes the TLS context from PEM files. Stateless. */
final class TlsContext {
    private static final char[] NO_PASSWORD = {};

    private TlsContext() {}

    static SSLContext of(ClusterOptions.Tls tls) {
        try {
            if (tls.insecure()) {
                return SSLContextBuilder.create()
                        .loadTrustMaterial((chain, type) -> true)
                        .build();
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    tls.certificate().isPresent() ? keyManagers(tls) : null, trustManagers(tls.caCertificate()), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new TargetException(
                    TargetException.Reason.USAGE,
                    "the certificates cannot be used (%s): --cacert, --cert and --key want PEM files, the key in PKCS#8 form"
                            .formatted(e.getMessage()),
                    e);
        }
    }

    private static TrustManager @org.jspecify.annotations.Nullable [] trustManagers(Optional<Path> authorities)
            throws GeneralSecurityException, IOException {
        if (authorities.isEmpty()) {
            return null; // what the platform trusts
        }
        KeyStore store = emptyStore();
        for (Certificate certificate : certificates(authorities.get())) {
            store.setCertificateEntry("ca-" + store.size(), certificate);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static javax.net.ssl.KeyManager[] keyManagers(ClusterOptions.Tls tls)
            throws GeneralSecurityException, IOException {
        Path keyFile = tls.key().orElseThrow(() -> new IOException("--cert needs --key"));
        KeyStore store = emptyStore();
        Certificate[] chain = certificates(tls.certificate().orElseThrow()).toArray(Certificate[]::new);
        store.setKeyEntry("client", privateKey(keyFile), NO_PASSWORD, chain);
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, NO_PASSWORD);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file)
            throws GeneralSecurityException, IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
    }

    private static PrivateKey privateKey(Path file) throws GeneralSecurityException, IOException {
        String base64 = Files.readString(file).replaceAll("-----[^-]+-----", "").replaceAll("\\s", "");
        byte[] encoded;
        try {
            encoded = Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is not PEM", e);
        }
        for (String algorithm : new String[] {"RSA", "EC", "Ed25519"}) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (InvalidKeySpecException e) {
                // not this kind of key: try the next
            }
        }
        throw new IOException(file + " holds no RSA, EC or Ed25519 key in PKCS#8 form");
    }
}
