package io.penstock.feed;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Waits until changes can be seen by a SELECT. MySQL and MariaDB write a transaction to the binary log first and commit
 * it in InnoDB after that, so that a reader of the log may be ahead of what other connections see, and a document that
 * is read then is old, with nothing more to come that would make it new. Until InnoDB has committed, the rows are
 * locked: a locking read of them by primary key waits for exactly that, and lets go at once.
 */
final class VisibleRows {
    private static final int AT_ONCE = 500;
    /**
     * With a lock wait of two seconds each: twice as long as semi-synchronous replication holds a commit by default. A
     * row that is locked for longer is changed again, and will be read again.
     */
    private static final int TRIES = 10;

    private static final int LOCK_WAIT_TIMEOUT = 1205;
    private static final int DEADLOCK = 1213;

    private final String database;

    VisibleRows(String database) {
        this.database = database;
    }

    /** Returns when all of the changes can be seen; snapshot rows can be, and rows without a key are passed over. */
    void await(List<SourceRecord> changes, Connection connection) throws SQLException {
        Map<String, Map<List<Object>, List<String>>> byTable = new LinkedHashMap<>();
        for (SourceRecord change : changes) {
            if (change.key() instanceof Struct key
                    && change.value() instanceof Struct value
                    && value.schema().field("op") != null
                    && !"r".equals(value.getString("op"))) {
                List<Object> values = new ArrayList<>();
                List<String> columns = new ArrayList<>();
                for (Field field : key.schema().fields()) {
                    columns.add(field.name());
                    values.add(SqlValue.of(field, key.get(field)));
                }
                byTable.computeIfAbsent(value.getStruct("source").getString("table"), any -> new LinkedHashMap<>())
                        .put(values, columns);
            }
        }
        for (Map.Entry<String, Map<List<Object>, List<String>>> table : byTable.entrySet()) {
            List<List<Object>> keys = new ArrayList<>(table.getValue().keySet());
            List<String> columns = table.getValue().values().iterator().next();
            for (int from = 0; from < keys.size(); from += AT_ONCE) {
                await(table.getKey(), columns, keys.subList(from, Math.min(keys.size(), from + AT_ONCE)), connection);
            }
        }
    }

    private void await(String table, List<String> columns, List<List<Object>> keys, Connection connection)
            throws SQLException {
        String row = "(" + String.join(",", Collections.nCopies(columns.size(), "?")) + ")";
        String sql = "SELECT 1 FROM `%s`.`%s` WHERE (`%s`) IN (%s) LOCK IN SHARE MODE"
                .formatted(
                        database,
                        table,
                        String.join("`,`", columns),
                        String.join(",", Collections.nCopies(keys.size(), row)));
        for (int attempt = 1; attempt <= TRIES; attempt++) {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                int parameter = 1;
                for (List<Object> key : keys) {
                    for (Object value : key) {
                        statement.setObject(parameter++, value);
                    }
                }
                statement.executeQuery().close();
                return;
            } catch (SQLException e) {
                if (e.getErrorCode() != LOCK_WAIT_TIMEOUT && e.getErrorCode() != DEADLOCK) {
                    throw e;
                }
            }
        }
    }
}
