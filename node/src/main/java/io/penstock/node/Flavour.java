package io.penstock.node;

/** The two families of servers that can be started. */
public enum Flavour {
    OPENSEARCH("OpenSearch", "opensearch", "org.opensearch", "OPENSEARCH"),
    ELASTICSEARCH("Elasticsearch", "elasticsearch", "org.elasticsearch", "ES");

    private final String title;
    private final String artifact;
    private final String vendor;
    private final String environment;

    Flavour(String title, String artifact, String vendor, String environment) {
        this.title = title;
        this.artifact = artifact;
        this.vendor = vendor;
        this.environment = environment;
    }

    /** The name as its makers write it. */
    public String title() {
        return title;
    }

    /** Name of the artifact, of the start script and of the settings file. */
    String artifact() {
        return artifact;
    }

    /** First part of the artifact's group. */
    String vendor() {
        return vendor;
    }

    /** What the environment variables read by the start script begin with. */
    String environment() {
        return environment;
    }
}
