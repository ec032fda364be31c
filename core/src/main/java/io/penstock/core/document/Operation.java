package io.penstock.core.document;

import java.util.Optional;

/** What a bulk request is asked to do with one document; the names are those of the bulk API's action lines. */
public enum Operation {
    INDEX("index"),
    CREATE("create"),
    UPDATE("update"),
    DELETE("delete");

    private final String actionName;

    Operation(String actionName) {
        this.actionName = actionName;
    }

    /** The key of the action line, for example {@code index}. */
    public String actionName() {
        return actionName;
    }

    /** Whether a body line follows the action line. */
    public boolean hasBody() {
        return this != DELETE;
    }

    /** The operation with this action name, or nothing for a word the bulk API does not know. */
    public static Optional<Operation> parse(String actionName) {
        return switch (actionName) {
            case "index" -> Optional.of(INDEX);
            case "create" -> Optional.of(CREATE);
            case "update" -> Optional.of(UPDATE);
            case "delete" -> Optional.of(DELETE);
            default -> Optional.empty();
        };
    }
}
