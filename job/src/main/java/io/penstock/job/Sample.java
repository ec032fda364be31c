package io.penstock.job;

import io.penstock.core.batch.DocumentIds;
import io.penstock.core.document.Document;
import io.penstock.core.document.Operation;
import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.core.event.LoadEvent;
import io.penstock.core.event.LoadListener;
import io.penstock.core.source.Partition;
import io.penstock.core.source.Source;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceReader;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;

/**
 * Some of the documents that a load reads, each as likely as any other (reservoir sampling, Vitter's algorithm R), to
 * be looked for in the index at the end. Left out are documents that something else was done to later in the same load,
 * and those that were refused. Thread-safe.
 */
final class Sample implements LoadListener {
    private final String index;
    private final Random random;
    private final List<Entry> entries = new ArrayList<>();
    private long seen;

    /**
     * @param index the name from which ids are made
     * @param random the choice
     */
    Sample(String index, Random random) {
        this.index = index;
        this.random = random;
    }

    private record Entry(String partition, Position position, SampledDocument document) {}

    /** The same source; what is read from it is sampled. */
    Source around(Source source) {
        return new Source() {
            @Override
            public String name() {
                return source.name();
            }

            @Override
            public List<Partition> partitions() {
                return source.partitions();
            }

            @Override
            public SourceReader open(Partition partition, Position from) throws SourceException {
                return new SampledReader(partition, source.open(partition, from));
            }

            @Override
            public void checkUnchanged(Partition partition) throws SourceException {
                source.checkUnchanged(partition);
            }

            @Override
            public boolean isResumable() {
                return source.isResumable();
            }

            @Override
            public Place locate(Partition partition, Position position) {
                return source.locate(partition, position);
            }

            @Override
            public OptionalLong documents() {
                return source.documents();
            }
        };
    }

    /** What is to be in the index. */
    synchronized List<SampledDocument> documents() {
        return entries.stream().map(Entry::document).toList();
    }

    @Override
    public synchronized void on(LoadEvent event) {
        if (event instanceof LoadEvent.DeadLettered dead) {
            entries.removeIf(entry -> entry.position().equals(dead.position())
                    && entry.partition().equals(dead.partition()));
        }
    }

    private synchronized void read(Partition partition, DocumentIds ids, Document document) {
        String named = document.id();
        if (named != null) {
            entries.removeIf(entry -> entry.document().id().equals(named));
        }
        boolean whole = document.operation() == Operation.INDEX || document.operation() == Operation.CREATE;
        if (!whole || document.index() != null || document.body().size() > SampledDocument.BYTES_MAX) {
            return;
        }
        seen++;
        int place = entries.size() < SampledDocument.COUNT ? entries.size() : (int) random.nextLong(seen);
        if (place >= SampledDocument.COUNT) {
            return;
        }
        String id = named == null ? ids.at(document.position().offset()) : named;
        var sampled = new SampledDocument(
                id,
                document.version(),
                partition.name() + ", " + document.position(),
                document.body().toBytes());
        var entry = new Entry(partition.name(), document.position(), sampled);
        if (place == entries.size()) {
            entries.add(entry);
        } else {
            entries.set(place, entry);
        }
    }

    private final class SampledReader implements SourceReader {
        private final Partition partition;
        private final SourceReader reader;
        private final DocumentIds ids;

        SampledReader(Partition partition, SourceReader reader) {
            this.partition = partition;
            this.reader = reader;
            this.ids = new DocumentIds(index, partition.identity());
        }

        @Override
        public Reading next() throws SourceException {
            Reading reading = reader.next();
            if (reading instanceof Document document) {
                read(partition, ids, document);
            }
            return reading;
        }

        @Override
        public Position position() {
            return reader.position();
        }

        @Override
        public long storedBytesRead() {
            return reader.storedBytesRead();
        }

        @Override
        public void close() {
            reader.close();
        }
    }
}
