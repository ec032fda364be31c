/**
 * Database changes become documents in a compacted topic. {@link Feed} runs it; a change goes from {@link ChangeReader}
 * to {@link TouchedDocuments} to {@link DocumentReader} to {@link DocumentWriter}.
 */
@NullMarked
package io.penstock.feed;

import org.jspecify.annotations.NullMarked;
