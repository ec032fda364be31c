package io.penstock.core.event;

/** Hears what happens in a load. Called from several threads; must be quick and must not throw. */
@FunctionalInterface
public interface LoadListener {
    void on(LoadEvent event);
}
