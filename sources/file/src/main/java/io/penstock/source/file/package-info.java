/**
 * Files and standard input as a source of documents: NDJSON, bulk, JSON array, CSV, TSV and Apache logs.
 *
 * <p>Begin at {@link io.penstock.source.file.FileSource}. Each format has one reader; they share the making of a
 * document from a JSON object ({@code DocumentMaker}) and, below them, the cutting of bytes into records.
 */
@NullMarked
package io.penstock.source.file;

import org.jspecify.annotations.NullMarked;
