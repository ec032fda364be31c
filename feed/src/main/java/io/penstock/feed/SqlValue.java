package io.penstock.feed;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.apache.kafka.connect.data.Field;
import org.jspecify.annotations.Nullable;

/**
 * Values of the log as the database takes them: Debezium counts dates from 1970, and has bytes in a buffer (its
 * documentation of the MySQL connector, "Temporal types").
 */
final class SqlValue {
    private SqlValue() {}

    static @Nullable Object of(@Nullable Field field, @Nullable Object value) {
        String type = field == null || field.schema().name() == null
                ? ""
                : field.schema().name();
        return switch (value) {
            case Integer days when type.equals("io.debezium.time.Date") -> LocalDate.ofEpochDay(days);
            case Long millis when type.equals("io.debezium.time.Timestamp") -> since1970(millis, ChronoUnit.MILLIS);
            case Long micros
            when type.equals("io.debezium.time.MicroTimestamp") -> since1970(micros, ChronoUnit.MICROS);
            case ByteBuffer buffer -> bytes(buffer);
            case null -> null;
            default -> value;
        };
    }

    private static LocalDateTime since1970(long count, ChronoUnit unit) {
        return LocalDateTime.ofInstant(Instant.EPOCH.plus(count, unit), ZoneOffset.UTC);
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
