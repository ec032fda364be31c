package io.penstock.job;

import io.penstock.core.source.Source;
import java.util.Optional;

/** Port: what changes in a source while it is copied, by a field whose value grows with every change. */
public interface CatchUp {
    /** The largest value of the field now; nothing if there is no document. */
    Optional<String> newest();

    /** The documents whose field has this value or a larger one; all of them without a value. */
    Source since(Optional<String> value);
}
