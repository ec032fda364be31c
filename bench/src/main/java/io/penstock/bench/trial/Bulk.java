package io.penstock.bench.trial;

import io.penstock.bench.workload.Bytes;
import io.penstock.bench.workload.Workload;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The body of a prepared bulk request.
 *
 * @param begins where each document begins, with its action line
 */
record Bulk(byte[] body, int[] begins) {
    private static final byte[] INDEX = "{\"index\":{}}\n".getBytes(StandardCharsets.US_ASCII);
    private static final int DOCUMENTS_DEFAULT = 1_000;
    private static final long PREPARED_BYTES_MAX = 64 << 20;
    private static final int PREPARED_DOCUMENTS = 8_000;
    private static final int PREPARED_MIN = 8;

    int documents() {
        return begins.length;
    }

    /**
     * Enough of them that documents do not repeat too soon, as long as memory allows: preparing them while it is
     * measured would take the time from the server, on a machine that both share.
     */
    static List<Bulk> prepared(Workload workload, OptionalInt documents, OptionalLong bytes) {
        int most = documents.orElse(bytes.isPresent() ? Integer.MAX_VALUE : DOCUMENTS_DEFAULT);
        List<Bulk> bulks = new ArrayList<>();
        long prepared = 0;
        int total = 0;
        do {
            Bulk next = next(workload, most, bytes.orElse(Long.MAX_VALUE));
            bulks.add(next);
            prepared += next.body().length;
            total += next.documents();
        } while ((bulks.size() < PREPARED_MIN || total < PREPARED_DOCUMENTS) && prepared < PREPARED_BYTES_MAX);
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

    /** Some of its documents, by their places. */
    Bulk only(List<Integer> places) {
        var some = new ByteArrayOutputStream();
        int[] begin = new int[places.size()];
        for (int i = 0; i < begin.length; i++) {
            int place = places.get(i);
            int end = place + 1 < begins.length ? begins[place + 1] : body.length;
            begin[i] = some.size();
            some.write(body, begins[place], end - begins[place]);
        }
        return new Bulk(some.toByteArray(), begin);
    }
}
