package io.penstock.cli;

import picocli.CommandLine.IVersionProvider;

/** What {@code --version} says. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Penstock.class.getPackage().getImplementationVersion();
        return new String[] {
            "penstock " + (version == null ? "(built from source)" : version), "Java " + Runtime.version(),
        };
    }
}
