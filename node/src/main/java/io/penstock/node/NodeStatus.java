package io.penstock.node;

import java.net.URI;
import java.nio.file.Path;

/**
 * One node as it was found.
 *
 * @param pid its process, or the last one it had, or 0
 * @param running whether that process is there and is the one we started; a paused process runs
 * @param log what the server writes; {@code console.log} one folder up holds what came before it could log
 */
public record NodeStatus(String name, URI url, long pid, String version, boolean running, Path log) {}
