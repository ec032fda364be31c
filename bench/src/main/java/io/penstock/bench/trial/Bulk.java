package io.penstock.bench.trial;

import io.penstock.bench.workload.Bytes;
import io.penstock.bench.workload.Workload;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * The body of a prepared bulk request.
 *
 * @param begins where each document begins, with its action line
 */
record Bulk(byte[] body, int[] begins) {
    private static final byte[] INDEX = "{\"index\":{}}\n".getBytes(StandardCharsets.US_ASCII);
    private static final int DOCUMENTS_DEFAULT = 1_000;
    private static final int PREPARED_MIN = 4;

    /**
     * The same documents for bulks of any size, as many as memory allows before they repeat: some 100,000 of 430 bytes.
     * Preparing them while it is measured would take the time from the server, on a machine that both share.
     */
    private static final long PREPARED_BYTES = 48 << 20;

    int documents() {
        return begins.length;
    }

    /** Bulks with the first documents of a workload, of so many documents or bytes each. */
    static List<Bulk> prepared(Workload workload, OptionalInt documents, OptionalLong bytes) {
        int most = documents.orElse(bytes.isPresent() ? Integer.MAX_VALUE : DOCUMENTS_DEFAULT);
        List<Bulk> bulks = new ArrayList<>();
        long prepared = 0;
        do {
            Bulk next = next(workload, most, bytes.orElse(Long.MAX_VALUE));
            bulks.add(next);
            prepared += next.body().length;
        } while (bulks.size() < PREPARED_MIN || prepared < PREPARED_BYTES);
        return bulks;
    }

    private static Bulk next(Workload workload, int documents, long bytes) {
        var body = new Bytes();
        List<Integer> begins = new ArrayList<>();
        while (begins.size() < documents && body.length() < bytes) {
            begins.add(body.length());
            if (!workload.hasActions()) {
                body.put(INDEX);
            }
            workload.next(body);
        }
        return new Bulk(
                body.toArray(), begins.stream().mapToInt(Integer::intValue).toArray());
    }

    /** Its first documents. */
    Bulk first(int count) {
        return count >= documents()
                ? this
                : only(IntStream.range(0, count).boxed().toList());
    }

    /** Some of its documents, by their places. */
    Bulk only(List<Integer> places) {
        var some = new Bytes();
        int[] begin = new int[places.size()];
        for (int i = 0; i < begin.length; i++) {
            int place = places.get(i);
            int end = place + 1 < begins.length ? begins[place + 1] : body.length;
            begin[i] = some.length();
            some.put(body, begins[place], end - begins[place]);
        }
        return new Bulk(some.toArray(), begin);
    }
}
