package io.penstock.feed;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/** Which documents a changed row is part of, as it was before and as it is now. */
final class TouchedDocuments {
    private static final int ROWS_AT_ONCE = 1_000;

    private final FeedConfig config;
    /** By the text that is the document's key: the value as the database has it. */
    private final Map<String, Object> ids = new LinkedHashMap<>();

    TouchedDocuments(FeedConfig config) {
        this.config = config;
    }

    /** The ids, each once, in the order in which they were first touched. */
    Map<String, Object> ids() {
        return ids;
    }

    /** Adds what a change touches. Records of other kinds (transactions, heartbeats) touch nothing. */
    void add(SourceRecord change, Connection database) throws SQLException {
        if (!(change.value() instanceof Struct value) || value.schema().field("source") == null) {
            return;
        }
        String table = value.getStruct("source").getString("table");
        for (String state : List.of("before", "after")) {
            Struct row = value.schema().field(state) == null ? null : value.getStruct(state);
            if (row != null && table != null) {
                add(table, row, database);
            }
        }
    }

    private void add(String table, Struct row, Connection database) throws SQLException {
        if (table.equals(config.documents().table())) {
            add(column(table, row, config.documents().id()));
            return;
        }
        switch (config.touches().get(table)) {
            case FeedConfig.Touch.Column column -> add(column(table, row, column.name()));
            case FeedConfig.Touch.Query query -> ask(table, row, query, database);
            case null -> {}
        }
    }

    private void ask(String table, Struct row, FeedConfig.Touch.Query query, Connection database) throws SQLException {
        try (PreparedStatement statement = database.prepareStatement(query.sql())) {
            int parameter = 1;
            for (String column : query.columns()) {
                statement.setObject(parameter++, SqlValue.of(row.schema().field(column), column(table, row, column)));
            }
            statement.setFetchSize(ROWS_AT_ONCE); // else the driver has all of them in memory
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    add(found.getObject(1));
                }
            }
        }
    }

    private void add(@Nullable Object id) {
        if (id instanceof ByteBuffer || id instanceof byte[]) {
            throw new FeedException(
                    FeedException.Reason.CONFIG,
                    "ids of documents are texts and numbers, and %s.%s is binary: take another column, for example one generated from it by HEX"
                            .formatted(
                                    config.documents().table(),
                                    config.documents().id()),
                    null);
        }
        if (id != null) {
            ids.put(id.toString(), id);
        }
    }

    private static @Nullable Object column(String table, Struct row, String name) {
        Field field = row.schema().field(name);
        if (field == null) {
            throw new FeedException(
                    FeedException.Reason.DATABASE,
                    "the table %s has no column %s (any more): change the configuration; the same command goes on where it stopped"
                            .formatted(table, name),
                    null);
        }
        return row.get(field);
    }
}
