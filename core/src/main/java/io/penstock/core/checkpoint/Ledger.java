package io.penstock.core.checkpoint;

import io.penstock.core.batch.Batch;
import io.penstock.core.document.Position;
import io.penstock.core.fate.Counts;
import io.penstock.core.source.Partition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Step 7 of the load path. Knows how far each partition is done without a gap (its watermark), and how many of the
 * documents up to there ended where.
 *
 * <p>Batches end in any order; the watermark moves only over the oldest ones. Thread-safe.
 */
public final class Ledger {
    private final List<Track> tracks = new ArrayList<>();
    private Counts marked;
    private Counts settled;
    private long revision;

    /**
     * @param partitions the source's partitions
     * @param marks how far each is done already
     * @param counts of the documents before the marks
     */
    public Ledger(List<Partition> partitions, List<PartitionMark> marks, Counts counts) {
        for (int i = 0; i < partitions.size(); i++) {
            tracks.add(new Track(partitions.get(i), marks.get(i)));
        }
        this.marked = counts;
        this.settled = counts;
    }

    /** A batch is on its way; batches of a partition are told in reading order. */
    public synchronized void open(Batch batch) {
        tracks.get(batch.partition()).open.addLast(new Entry(batch));
    }

    /** A batch has its end. */
    public synchronized void settle(Batch batch, Counts counts) {
        Track track = tracks.get(batch.partition());
        Entry entry = track.open.stream()
                .filter(candidate -> candidate.batch == batch)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("a batch was settled that was not open"));
        entry.counts = counts;
        settled = settled.plus(counts);
        advance(track);
    }

    /** The partition has been read to its end. */
    public synchronized void endOfPartition(int partition) {
        tracks.get(partition).read = true;
        advance(tracks.get(partition));
    }

    /** How far each partition is done without a gap. */
    public synchronized List<PartitionMark> marks() {
        return tracks.stream()
                .map(track -> new PartitionMark(
                        track.partition.name(), track.partition.fingerprint(), track.position, track.done))
                .toList();
    }

    /** Counts of the documents before the {@linkplain #marks() marks}. */
    public synchronized Counts marked() {
        return marked;
    }

    /** Counts of every document that has its end. */
    public synchronized Counts settled() {
        return settled;
    }

    /** A number that grows whenever a mark moves. */
    public synchronized long revision() {
        return revision;
    }

    /** The marks with their counts and revision, taken together. */
    public synchronized Snapshot snapshot() {
        return new Snapshot(marks(), marked, revision);
    }

    /** What belongs together in a checkpoint. */
    public record Snapshot(List<PartitionMark> marks, Counts counts, long revision) {}

    private void advance(Track track) {
        for (Entry first = track.open.peekFirst();
                first != null && first.counts != null;
                first = track.open.peekFirst()) {
            track.open.removeFirst();
            track.position = first.end;
            marked = marked.plus(first.counts);
            revision++;
        }
        if (track.read && track.open.isEmpty() && !track.done) {
            track.done = true;
            revision++;
        }
    }

    private static final class Track {
        final Partition partition;
        final Deque<Entry> open = new ArrayDeque<>();
        Position position;
        boolean read;
        boolean done;

        Track(Partition partition, PartitionMark mark) {
            this.partition = partition;
            this.position = mark.position();
            this.done = mark.done();
        }
    }

    private static final class Entry {
        final Batch batch;
        final Position end;

        @Nullable
        Counts counts;

        Entry(Batch batch) {
            this.batch = batch;
            this.end = batch.end();
        }
    }
}
