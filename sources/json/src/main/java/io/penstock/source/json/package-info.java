/** What every source needs that reads JSON: fields out of documents, without parsing more of them than that takes. */
@NullMarked
package io.penstock.source.json;

import org.jspecify.annotations.NullMarked;
