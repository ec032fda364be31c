package io.penstock.job;

import io.penstock.core.batch.DocumentIds;
import io.penstock.core.document.Document;
import io.penstock.core.document.EndOfPartition;
import io.penstock.core.document.Idle;
import io.penstock.core.document.Operation;
import io.penstock.core.document.Position;
import io.penstock.core.document.Reading;
import io.penstock.core.source.Partition;
import io.penstock.core.source.Source;
import io.penstock.core.source.SourceException;
import io.penstock.core.source.SourceReader;
import io.penstock.core.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * After a count that is too low: reads the source again and says which documents the index does not hold, so that a
 * person sees what they have in common. Names the first few, and looks for a minute at most.
 */
final class MissingDocuments {
    private static final int NAMED_MAX = 20;
    private static final int ASKED_AT_ONCE = 1_000;
    private static final Duration TIME_MAX = Duration.ofMinutes(1);

    private final Source source;
    private final String index;
    private final TargetIndex target;
    private final Clock clock;
    private final Map<String, String> asked = new LinkedHashMap<>();
    private final List<String> missing = new ArrayList<>();

    /** @param index the name from which ids are made */
    MissingDocuments(Source source, String index, TargetIndex target, Clock clock) {
        this.source = source;
        this.index = index;
        this.target = target;
        this.clock = clock;
    }

    /** Id and place of each; none if none was found in time, or the source or the index cannot be read any more. */
    List<String> first() {
        long until = clock.nanos() + TIME_MAX.toNanos();
        try {
            for (Partition partition : source.partitions()) {
                look(partition, until);
            }
            ask();
        } catch (SourceException | TargetException e) {
            return missing; // what is known is worth saying
        }
        return missing;
    }

    private void look(Partition partition, long until) throws SourceException {
        var ids = new DocumentIds(index, partition.identity());
        try (SourceReader reader = source.open(partition, Position.START)) {
            while (missing.size() < NAMED_MAX && clock.nanos() - until < 0) {
                Reading reading = reader.next();
                if (reading instanceof EndOfPartition || reading instanceof Idle) {
                    return;
                }
                if (reading instanceof Document document) {
                    note(partition, ids, document);
                }
                if (asked.size() == ASKED_AT_ONCE) {
                    ask();
                }
            }
        }
    }

    private void note(Partition partition, DocumentIds ids, Document document) {
        boolean whole = document.operation() == Operation.INDEX || document.operation() == Operation.CREATE;
        if (whole && document.index() == null) {
            String id = document.id();
            asked.put(
                    id == null ? ids.at(document.position().offset()) : id,
                    partition.name() + ", " + document.position());
        }
    }

    private void ask() {
        Set<String> absent = target.absent(asked.keySet());
        asked.forEach((id, place) -> {
            if (absent.contains(id) && missing.size() < NAMED_MAX) {
                missing.add("%s (%s)".formatted(id, place));
            }
        });
        asked.clear();
    }
}
