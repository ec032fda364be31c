package io.penstock.job;

import io.penstock.core.checkpoint.Checkpoint;
import io.penstock.core.checkpoint.CheckpointStore;
import io.penstock.core.checkpoint.PartitionMark;
import io.penstock.core.document.Position;
import io.penstock.core.fate.Counts;
import io.penstock.core.source.Partition;
import io.penstock.core.source.Source;
import io.penstock.core.state.DurableFiles;
import io.penstock.core.state.StateException;
import io.penstock.core.state.StateLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A job's place in the state folder: its lock, its checkpoint and its dead letters. The same command on the same
 * cluster finds the same place.
 */
final class JobFolder implements AutoCloseable {
    static final String UUID_FACT = "index-uuid";
    static final String BEFORE_FACT = "documents-before";
    static final String VERIFIED_FACT = "verified";
    static final String CATCH_UP_FACT = "catch-up-from";
    private static final String OPTIONS_FACT = "options";
    private static final int SIDE_BY_SIDE_MAX = 100;

    private final String id;
    private final Path folder;
    private final StateLock lock;
    private final CheckpointStore store;

    private JobFolder(String id, Path folder, StateLock lock) {
        this.id = id;
        this.folder = folder;
        this.lock = lock;
        this.store = new CheckpointStore(folder);
    }

    /**
     * The id of the job that loads these partitions into this index of this cluster.
     *
     * @param host where it runs, if the same job may run on several machines at once
     */
    static String id(String clusterUuid, String index, List<Partition> partitions, Optional<String> host) {
        String names = partitions.stream().map(Partition::name).collect(Collectors.joining("\0"))
                + host.map(name -> '\0' + name).orElse("");
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest((clusterUuid + '\0' + index + '\0' + names).getBytes(StandardCharsets.UTF_8));
            return index + "-" + HexFormat.of().formatHex(digest, 0, 5);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** A place for each of several processes that load the same live source side by side. */
    static JobFolder openAny(Path state, String id) {
        for (int number = 1; ; number++) {
            try {
                return open(state, number == 1 ? id : id + "." + number);
            } catch (StateException e) {
                if (e.reason() != StateException.Reason.LOCKED || number == SIDE_BY_SIDE_MAX) {
                    throw e;
                }
            }
        }
    }

    static JobFolder open(Path state, String id) {
        Path folder = DurableFiles.privateFolder(state.resolve("jobs").resolve(id));
        String holder = "pid %d since %s"
                .formatted(ProcessHandle.current().pid(), Instant.now().truncatedTo(ChronoUnit.SECONDS));
        return new JobFolder(id, folder, StateLock.take(folder, holder));
    }

    String id() {
        return id;
    }

    Path folder() {
        return folder;
    }

    /** A name for whoever reads on behalf of this job; drawn once, so that after a crash the next one has it again. */
    String reader() {
        return DurableFiles.textOnce(
                folder.resolve("reader"), () -> UUID.randomUUID().toString());
    }

    CheckpointStore store() {
        return store;
    }

    /** The checkpoint of an earlier run, if there is one and it is to be gone on from. */
    Optional<Checkpoint> earlier(JobPlan plan) {
        if (plan.live().isPresent()) {
            return Optional.empty(); // the source keeps how far it was read
        }
        if (plan.restart() || !plan.source().isResumable()) {
            if (!plan.dryRun()) {
                store.delete();
            }
            return Optional.empty();
        }
        return store.read();
    }

    /** Says why the earlier run cannot be gone on from, if it cannot. */
    static Optional<String> mismatch(Checkpoint earlier, JobPlan plan) {
        String options = earlier.facts().getOrDefault(OPTIONS_FACT, "");
        if (!options.equals(plan.options())) {
            return Optional.of("the earlier run of this load had other options (%s, now %s): use the same, or --restart"
                    .formatted(options, plan.options()));
        }
        return Optional.empty();
    }

    /** The first partition that is not what it was when the earlier run read it. */
    static Optional<String> changedSource(Checkpoint earlier, List<Partition> partitions) {
        for (int i = 0; i < partitions.size(); i++) {
            PartitionMark mark = earlier.marks().get(i);
            if (!mark.fingerprint().equals(partitions.get(i).fingerprint())) {
                return Optional.of(
                        "%s has changed since the earlier run of this load: --restart loads it from its beginning"
                                .formatted(partitions.get(i).name()));
            }
        }
        return Optional.empty();
    }

    /** The checkpoint of a load that has read nothing yet. */
    static Checkpoint beginning(JobPlan plan, String uuid, long documentsBefore) {
        var facts = new LinkedHashMap<String, String>();
        facts.put(OPTIONS_FACT, plan.options());
        facts.put(UUID_FACT, uuid);
        facts.put(BEFORE_FACT, Long.toString(documentsBefore));
        plan.catchUp().flatMap(CatchUp::newest).ifPresent(newest -> facts.put(CATCH_UP_FACT, newest));
        return new Checkpoint(facts, startOf(plan.source()).marks(), Counts.NONE);
    }

    /** The checkpoint of a source that nothing was read of, and nothing else is known of. */
    static Checkpoint startOf(Source source) {
        return new Checkpoint(
                Map.of(),
                source.partitions().stream()
                        .map(partition ->
                                new PartitionMark(partition.name(), partition.fingerprint(), Position.START, false))
                        .toList(),
                Counts.NONE);
    }

    /** Notes that the whole job has been verified. */
    void markVerified() {
        Optional<Checkpoint> last = store.read();
        if (last.isPresent()) {
            var facts = new LinkedHashMap<>(last.get().facts());
            facts.put(VERIFIED_FACT, "yes");
            store.write(new Checkpoint(facts, last.get().marks(), last.get().counts()));
        }
    }

    static boolean isVerified(Checkpoint checkpoint) {
        return checkpoint.facts().containsKey(VERIFIED_FACT);
    }

    @Override
    public void close() {
        lock.close();
    }
}
