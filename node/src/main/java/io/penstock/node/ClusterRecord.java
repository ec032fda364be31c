package io.penstock.node;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What {@code cluster.json} holds: what was asked for, where its files are, and every node with ports and process.
 *
 * @param home folder with the files of servers and nodes, see {@link NodeHome}
 */
record ClusterRecord(ClusterSpec spec, String home, List<Node> nodes) {
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    /** One node: its name, its ports on the loopback address and its last process. */
    record Node(String name, int httpPort, int transportPort, NodeProcess process) {
        URI url() {
            return URI.create("http://127.0.0.1:" + httpPort);
        }

        Node with(NodeProcess other) {
            return new Node(name, httpPort, transportPort, other);
        }

        Node withPorts(int http, int transport) {
            return new Node(name, http, transport, process);
        }
    }

    ClusterRecord {
        nodes = List.copyOf(nodes);
    }

    ClusterRecord with(int index, Node node) {
        List<Node> changed = new ArrayList<>(nodes);
        changed.set(index, node);
        return new ClusterRecord(spec, home, changed);
    }

    ClusterRecord with(ClusterSpec other) {
        return new ClusterRecord(other, home, nodes);
    }

    /** Reads the file; empty if there is none. */
    static Optional<ClusterRecord> read(Path file) {
        try {
            return Optional.of(Optional.ofNullable(JSON.readValue(Files.readAllBytes(file), ClusterRecord.class))
                    .orElseThrow(() -> new IllegalArgumentException("only the word null")));
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        } catch (JacksonException | IllegalArgumentException unreadable) {
            throw new NodeException(
                    NodeException.Reason.FILES,
                    file + " is damaged: end the server it describes by hand, then delete the file.",
                    unreadable);
        } catch (IOException failed) {
            throw NodeException.files(file, failed);
        }
    }

    /** Replaces the file as a whole, so that no reader ever sees a part of it. */
    void write(Path file) {
        Path next = file.resolveSibling(file.getFileName() + ".tmp");
        try {
            Files.createDirectories(file.getParent());
            Files.write(next, JSON.writeValueAsBytes(this));
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failed) {
            throw NodeException.files(file, failed);
        }
    }
}
