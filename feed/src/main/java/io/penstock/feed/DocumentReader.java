package io.penstock.feed;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads documents as they are now, by the configured SELECT, and makes JSON of them: a member for each column by its
 * label, nothing for NULL. A label that ends in {@code :json} holds JSON already, for example from JSON_ARRAYAGG.
 */
final class DocumentReader {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonFactory FACTORY = JSON.getFactory();
    private static final String ID = "_id";
    private static final String JSON_SUFFIX = ":json";
    static final int AT_ONCE = 500;
    private static final DateTimeFormatter DATE_TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS");

    private final String select;

    DocumentReader(String select) {
        this.select = select;
    }

    /** The documents that exist, by id. */
    Map<String, byte[]> read(Collection<Object> ids, Connection database) throws SQLException {
        Map<String, byte[]> documents = new LinkedHashMap<>();
        List<Object> all = new ArrayList<>(ids);
        for (int from = 0; from < all.size(); from += AT_ONCE) {
            readSome(all.subList(from, Math.min(all.size(), from + AT_ONCE)), database, documents);
        }
        return documents;
    }

    private void readSome(List<Object> ids, Connection database, Map<String, byte[]> documents) throws SQLException {
        // Always as many parameters, so that the server sees few different statements.
        int parameters = ids.size() > AT_ONCE / 10 ? AT_ONCE : ids.size();
        String sql = select.replace(":ids", String.join(",", Collections.nCopies(parameters, "?")));
        try (PreparedStatement statement = database.prepareStatement(sql)) {
            for (int i = 0; i < parameters; i++) {
                statement.setObject(i + 1, ids.get(Math.min(i, ids.size() - 1)));
            }
            try (ResultSet row = statement.executeQuery()) {
                ResultSetMetaData columns = row.getMetaData();
                int id = idColumn(columns);
                while (row.next()) {
                    String key = row.getString(id);
                    if (documents.put(key, document(row, columns, id)) != null) {
                        throw new FeedException(
                                FeedException.Reason.CONFIG,
                                "documents.select gives more than one row for document %s: group by the id, and aggregate with JSON_ARRAYAGG"
                                        .formatted(key),
                                null);
                    }
                }
            }
        }
    }

    private static int idColumn(ResultSetMetaData columns) throws SQLException {
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            if (columns.getColumnLabel(i).equals(ID)) {
                return i;
            }
        }
        throw new FeedException(
                FeedException.Reason.CONFIG, "documents.select gives no column _id: write for example id AS _id", null);
    }

    private static byte[] document(ResultSet row, ResultSetMetaData columns, int id) throws SQLException {
        var bytes = new ByteArrayOutputStream(512);
        try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
            json.writeStartObject();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                if (i != id) {
                    member(json, columns.getColumnLabel(i), columns.getColumnType(i), row, i);
                }
            }
            json.writeEndObject();
        } catch (JsonProcessingException e) {
            throw new FeedException(
                    FeedException.Reason.CONFIG,
                    "a column of documents.select whose label ends in :json holds no JSON, in document %s: %s"
                            .formatted(row.getString(id), e.getOriginalMessage()),
                    e);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory cannot fail", e);
        }
        return bytes.toByteArray();
    }

    private static void member(JsonGenerator json, String label, int type, ResultSet row, int i)
            throws SQLException, IOException {
        if (label.endsWith(JSON_SUFFIX)) {
            String text = row.getString(i);
            if (text != null) {
                json.writeFieldName(label.substring(0, label.length() - JSON_SUFFIX.length()));
                JSON.writeTree(json, JSON.readTree(text));
            }
            return;
        }
        Object value = type == Types.DATE
                ? row.getObject(i, LocalDate.class)
                : type == Types.TIMESTAMP || type == Types.TIMESTAMP_WITH_TIMEZONE
                        ? row.getObject(i, LocalDateTime.class)
                        : row.getObject(i);
        if (value == null) {
            return;
        }
        json.writeFieldName(label);
        switch (value) {
            case Boolean flag -> json.writeBoolean(flag);
            case BigDecimal decimal -> json.writeNumber(decimal.toPlainString());
            case Float number -> json.writeNumber(number);
            case Double number -> json.writeNumber(number);
            case Number number -> json.writeNumber(number.toString());
            case byte[] binary -> json.writeBinary(binary);
            case LocalDateTime time -> json.writeString(DATE_TIME.format(time));
            default -> json.writeString(value.toString());
        }
    }
}
