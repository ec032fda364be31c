package io.penstock.core.batch;

import io.penstock.core.document.Document;
import io.penstock.core.document.Operation;
import io.penstock.core.document.Position;
import java.util.Arrays;

/**
 * What is known of each item of a batch, in parallel arrays: a batch of small documents has tens of thousands of items,
 * and an object for each would cost more than the documents. Not thread-safe.
 */
final class ItemTable {
    private static final Operation[] OPERATIONS = Operation.values();

    private int count;
    private long[] starts = new long[257];
    private int[] actionBytes = new int[256];
    private byte[] operations = new byte[256];
    private boolean[] jobIds = new boolean[256];
    private String[] ids = new String[256];
    private long[] offsets = new long[256];
    private long[] lines = new long[256];
    private long[] versions = {};

    void add(Document document, String id, boolean jobId, int lineBytes, long end) {
        if (count == ids.length) {
            grow();
        }
        if (document.version() != Document.NO_VERSION && versions.length < ids.length) {
            int known = versions.length;
            versions = Arrays.copyOf(versions, ids.length);
            Arrays.fill(versions, known, versions.length, Document.NO_VERSION);
        }
        actionBytes[count] = lineBytes;
        operations[count] = (byte) document.operation().ordinal();
        jobIds[count] = jobId;
        ids[count] = id;
        offsets[count] = document.position().offset();
        lines[count] = document.position().line();
        if (versions.length > count) {
            versions[count] = document.version();
        }
        count++;
        starts[count] = end;
    }

    int count() {
        return count;
    }

    long start(int item) {
        return starts[item];
    }

    long bodyStart(int item) {
        return starts[item] + actionBytes[item];
    }

    Operation operation(int item) {
        return OPERATIONS[operations[item]];
    }

    boolean isJobId(int item) {
        return jobIds[item];
    }

    String id(int item) {
        return ids[item];
    }

    long version(int item) {
        return item < versions.length ? versions[item] : Document.NO_VERSION;
    }

    Position position(int item) {
        return new Position(offsets[item], lines[item]);
    }

    private void grow() {
        int capacity = ids.length * 2;
        starts = Arrays.copyOf(starts, capacity + 1);
        actionBytes = Arrays.copyOf(actionBytes, capacity);
        operations = Arrays.copyOf(operations, capacity);
        jobIds = Arrays.copyOf(jobIds, capacity);
        ids = Arrays.copyOf(ids, capacity);
        offsets = Arrays.copyOf(offsets, capacity);
        lines = Arrays.copyOf(lines, capacity);
    }
}
