/**
 * From a stored file to records: counted bytes, decompression, a buffer that is cut at record boundaries, lines.
 *
 * <p>Nothing here knows JSON or any other format. Everything is used by one thread, the one that reads the file.
 */
@NullMarked
package io.penstock.source.file.bytes;

import org.jspecify.annotations.NullMarked;
