package io.penstock.plugin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.testkit.seeds.Seeds;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Clients that each write small bulks to ids of their own, one after the other, and check every answer against what
 * they know: right item in the right place, right status, versions and sequence numbers that only grow. Among the items
 * are some that must fail, alone.
 *
 * <p>What has no answer may have been carried out or not; such an id may be either from then on.
 */
@SuppressWarnings("try") // Closing waits, and may be interrupted.
final class Writers implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final int IDS_PER_CLIENT = 20;

    private final List<URI> urls;
    private final String index;
    private final String prefix;
    private final String options;
    private final boolean history;
    private final HttpClient http = HttpClient.newHttpClient();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final List<Thread> clients = new ArrayList<>();
    private final List<Throwable> wrong = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Known> ids = new ConcurrentHashMap<>();
    private final AtomicInteger acknowledged = new AtomicInteger();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    /**
     * What is known of one id. Versions are only known while every write has had an answer.
     *
     * @param value of the field n, or -1 if the document is not there
     * @param maybe values that writes without an answer may have left; -1 for none there
     */
    record Known(long value, long version, long seqNo, List<Long> maybe) {
        static final Known NONE = new Known(-1, 0, -1, List.of());

        boolean isCertain() {
            return maybe.isEmpty();
        }

        boolean allows(long found) {
            return found == value || maybe.contains(found);
        }
    }

    private enum Kind {
        INDEX("index"),
        CREATE("create"),
        UPDATE("update"),
        DELETE("delete"),
        BAD_MAPPING("index"),
        BAD_PIPELINE("index");

        final String action;

        Kind(String action) {
            this.action = action;
        }
    }

    private record Item(Kind kind, String id, long value) {}

    /** Writers that are the only ones to write to an index that stays. */
    Writers(List<URI> urls, String index) {
        this(urls, index, "", "", true);
    }

    /**
     * @param urls nodes to write to, by turns
     * @param prefix of all their ids
     * @param options of each bulk request, such as {@code ?refresh=true}
     * @param history whether what was written before is still there; if not, only the places of answers are checked
     */
    Writers(List<URI> urls, String index, String prefix, String options, boolean history) {
        this.urls = urls;
        this.index = index;
        this.prefix = prefix;
        this.options = options;
        this.history = history;
    }

    /** Starts so many clients. */
    Writers start(int count, Seeds seeds) {
        for (int client = 0; client < count; client++) {
            int number = clients.size();
            var random = new Random(seeds.seed() + number);
            clients.add(Thread.ofVirtual().start(() -> {
                try {
                    while (!stopped.get()) {
                        bulk(number, random);
                    }
                } catch (Exception | AssertionError e) {
                    wrong.add(e);
                }
            }));
        }
        return this;
    }

    /** Bulks that got an answer with every item in it. */
    int acknowledged() {
        return acknowledged.get();
    }

    int unanswered() {
        return unanswered.get();
    }

    int refused() {
        return refused.get();
    }

    Map<String, Known> ids() {
        return ids;
    }

    /** Ends all clients; nobody may hang, and nobody may have seen anything wrong. */
    @Override
    public void close() throws InterruptedException {
        stopped.set(true);
        for (Thread client : clients) {
            if (!client.join(LIMIT.plusSeconds(10))) {
                throw new AssertionError("a client still waits for its answer");
            }
        }
        http.close();
        if (!wrong.isEmpty()) {
            throw new AssertionError(wrong.size() + " clients saw something wrong", wrong.getFirst());
        }
    }

    private void bulk(int client, Random random) throws InterruptedException {
        List<Item> items = new ArrayList<>();
        int count = 1 + random.nextInt(6);
        for (int i = 0; i < count; i++) {
            Kind kind = random.nextInt(4) > 0 ? Kind.INDEX : Kind.values()[random.nextInt(Kind.values().length)];
            items.add(
                    new Item(kind, prefix + client + "-" + random.nextInt(IDS_PER_CLIENT), random.nextInt(1_000_000)));
        }
        HttpRequest request = HttpRequest.newBuilder(
                        urls.get(random.nextInt(urls.size())).resolve("/" + index + "/_bulk" + options))
                .timeout(LIMIT)
                .header("Content-Type", "application/x-ndjson")
                .POST(HttpRequest.BodyPublishers.ofString(body(items)))
                .build();
        JsonNode answer;
        try {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() == 429 || response.statusCode() == 503) {
                items.forEach(this::uncertain); // a part may have been carried out before another was refused
                refused.incrementAndGet();
                return;
            }
            answer = JSON.readTree(response.body());
        } catch (IOException e) {
            items.forEach(this::uncertain);
            unanswered.incrementAndGet();
            Thread.sleep(20); // the node may be gone
            return;
        }
        JsonNode results = answer.path("items");
        check(results.size() == items.size(), items, "all before", answer);
        for (int i = 0; i < items.size(); i++) {
            check(items.get(i), results.get(i));
        }
        acknowledged.incrementAndGet();
    }

    private static String body(List<Item> items) {
        var body = new StringBuilder();
        for (Item item : items) {
            String pipeline = item.kind() == Kind.BAD_PIPELINE ? ",\"pipeline\":\"not-there\"" : "";
            body.append("{\"%s\":{\"_id\":\"%s\"%s}}\n".formatted(item.kind().action, item.id(), pipeline));
            switch (item.kind()) {
                case INDEX, CREATE, BAD_PIPELINE -> body.append("{\"n\":%d}\n".formatted(item.value()));
                case BAD_MAPPING -> body.append("{\"n\":\"no number\"}\n");
                case UPDATE -> body.append("{\"doc\":{\"n\":%d}}\n".formatted(item.value()));
                case DELETE -> {}
            }
        }
        return body.toString();
    }

    private void check(Item item, JsonNode result) {
        JsonNode own = result.path(item.kind().action);
        check(own.path("_id").asText().equals(item.id()), item, "all before", result);
        if (!history) {
            return;
        }
        int status = own.path("status").asInt();
        if (status == 429 || status == 503 || (status == 500 && own.toString().contains("node_closed"))) {
            uncertain(item);
            return;
        }
        Known before = ids.getOrDefault(item.id(), Known.NONE);
        switch (item.kind()) {
            case BAD_MAPPING, BAD_PIPELINE -> check(status == 400, item, before, result);
            case INDEX -> written(item, item.value(), own, before, status == 200 || status == 201, result);
            case CREATE, UPDATE -> {
                boolean there = before.value() >= 0;
                boolean expected = item.kind() == Kind.UPDATE ? there : !there;
                if (before.isCertain()) {
                    check((status < 300) == expected, item, before, result);
                }
                if (status < 300) {
                    boolean noop = own.path("result").asText().equals("noop");
                    if (!noop) {
                        written(item, item.value(), own, before, true, result);
                    }
                } else {
                    int refusal = item.kind() == Kind.UPDATE ? 404 : 409;
                    check(status == refusal, item, before, result);
                }
            }
            case DELETE -> {
                if (before.isCertain()) {
                    boolean there = before.value() >= 0;
                    check(status == (there ? 200 : 404), item, before, result);
                }
                written(item, -1, own, before, true, result);
            }
        }
    }

    private void written(Item item, long value, JsonNode own, Known before, boolean well, JsonNode result) {
        check(well, item, before, result);
        long version = own.path("_version").asLong();
        long seqNo = own.path("_seq_no").asLong();
        check(seqNo > before.seqNo(), item, before, result);
        if (before.isCertain() && before.version() > 0) {
            check(version == before.version() + 1, item, before, result);
        }
        ids.put(item.id(), new Known(value, version, seqNo, List.of()));
    }

    private void uncertain(Item item) {
        if (item.kind() == Kind.BAD_MAPPING || item.kind() == Kind.BAD_PIPELINE) {
            return;
        }
        ids.compute(item.id(), (id, known) -> {
            Known before = known == null ? Known.NONE : known;
            List<Long> maybe = new ArrayList<>(before.maybe());
            maybe.add(item.kind() == Kind.DELETE ? -1 : item.value());
            return new Known(before.value(), before.version(), before.seqNo(), maybe);
        });
    }

    private static void check(boolean holds, Object what, Object before, JsonNode answer) {
        if (!holds) {
            throw new AssertionError("%s after %s got the answer %s".formatted(what, before, answer));
        }
    }
}
