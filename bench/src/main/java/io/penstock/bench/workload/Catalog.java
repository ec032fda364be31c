package io.penstock.bench.workload;

/**
 * A catalogue of music that is kept current: tracks, users and playlists by their ids, of which a few change again and
 * again. Seven in ten are written whole, two are updated in part, one is deleted.
 */
final class Catalog implements Workload {
    private static final int TRACKS = 2_000_000;
    private static final int PEOPLE = 300_000;
    private static final byte[][] TITLES =
            Bytes.terms("Morning", "Echoes of", "Late", "Slow", "The last", "Under", "Nocturne in", "Letter to");
    private static final byte[][] NOUNS =
            Bytes.terms("light", "rivers", "winter", "glass", "train", "paper", "harbour", "gardens");
    private static final byte[][] GENRES = Bytes.terms("ambient", "techno", "jazz", "folk", "hip hop", "classical");
    private static final byte[] NOTHING = {};

    private final Seeded random;

    Catalog(long seed) {
        this.random = new Seeded(seed);
    }

    @Override
    public String mapping() {
        return """
                {"dynamic":"strict","properties":{"kind":{"type":"keyword"},"title":{"type":"text"},"user":{"type":"keyword"},
                "genre":{"type":"keyword"},"plays":{"type":"long"},"seconds":{"type":"integer"},"tracks":{"type":"integer"}}}""";
    }

    @Override
    public String query() {
        return """
                {"bool":{"must":{"match":{"title":"winter"}},"filter":[{"term":{"kind":"track"}},{"term":{"genre":"jazz"}}]}}""";
    }

    @Override
    public boolean hasActions() {
        return true;
    }

    @Override
    public void next(Bytes to) {
        int kind = random.below(10);
        byte letter = (byte) (kind < 7 ? 't' : kind < 9 ? 'u' : 'p');
        int id = random.skewed(kind < 7 ? TRACKS : PEOPLE);
        switch (random.below(10)) {
            case 0 -> action(to, "delete", letter, id);
            case 1, 2 -> {
                action(to, "update", letter, id);
                to.put(Bytes.ascii("{\"doc_as_upsert\":true,\"doc\":{\"plays\":"));
                to.number(random.skewed(10_000_000));
                to.put(Bytes.ascii("}}\n"));
            }
            default -> {
                action(to, "index", letter, id);
                document(to, letter, id);
            }
        }
    }

    private static void action(Bytes to, String operation, byte letter, int id) {
        to.put(Bytes.ascii("{\"" + operation + "\":{\"_id\":\""));
        to.put(letter);
        to.number(id);
        // Clients that change the same document at the same time would refuse each other's changes.
        to.put(Bytes.ascii(operation.equals("update") ? "\",\"retry_on_conflict\":5}}\n" : "\"}}\n"));
    }

    private void document(Bytes to, byte letter, int id) {
        boolean track = letter == 't';
        to.put(Bytes.ascii(
                track
                        ? "{\"kind\":\"track\",\"title\":\""
                        : letter == 'u' ? "{\"kind\":\"user\",\"title\":\"" : "{\"kind\":\"playlist\",\"title\":\""));
        to.put(random.one(TITLES));
        to.put((byte) ' ');
        to.put(random.one(NOUNS));
        to.put((byte) ' ');
        to.number(id % 1_000);
        to.put(Bytes.ascii("\",\"user\":\"u"));
        to.number(random.skewed(PEOPLE));
        to.put(Bytes.ascii("\",\"genre\":\""));
        to.put(random.one(GENRES));
        to.put(Bytes.ascii("\",\"plays\":"));
        to.number(random.skewed(10_000_000));
        to.put(track ? Bytes.ascii(",\"seconds\":") : letter == 'p' ? Bytes.ascii(",\"tracks\":") : NOTHING);
        if (letter != 'u') {
            to.number(random.below(600));
        }
        to.put(Bytes.ascii("}\n"));
    }
}
