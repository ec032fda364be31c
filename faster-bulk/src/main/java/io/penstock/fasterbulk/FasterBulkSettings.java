package io.penstock.fasterbulk;

import java.util.List;
import java.util.Locale;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.Setting;
import org.opensearch.common.settings.Setting.Property;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.common.unit.ByteSizeUnit;
import org.opensearch.core.common.unit.ByteSizeValue;

/** The plugin's settings, all dynamic, as they are now. Thread-safe. */
final class FasterBulkSettings {
    /** Joins shard bulks; off by default. */
    static final Setting<Boolean> ENABLED =
            Setting.boolSetting("faster_bulk.enabled", false, Property.NodeScope, Property.Dynamic);
    /** The same for one index; where it is set, it wins. */
    static final Setting<Boolean> INDEX_ENABLED =
            Setting.boolSetting("index.faster_bulk.enabled", false, Property.IndexScope, Property.Dynamic);
    /** {@code group_commit} or {@code window}. */
    static final Setting<WriteQueues.Mode> MODE = new Setting<>(
            "faster_bulk.mode", "group_commit", FasterBulkSettings::mode, Property.NodeScope, Property.Dynamic);
    /** How long bulks wait in the mode {@code window}, 1 ms to 1 s. */
    static final Setting<TimeValue> WINDOW_INTERVAL = Setting.timeSetting(
            "faster_bulk.window.interval",
            TimeValue.timeValueMillis(50),
            TimeValue.timeValueMillis(1),
            ShardBulkHandler.HELD_MAX,
            Property.NodeScope,
            Property.Dynamic);
    /** Memory of bulks that leave together, and from which on one is large enough by itself. */
    static final Setting<ByteSizeValue> FLUSH_THRESHOLD_SIZE = Setting.byteSizeSetting(
            "faster_bulk.flush_threshold_size",
            new ByteSizeValue(1, ByteSizeUnit.MB),
            new ByteSizeValue(1, ByteSizeUnit.KB),
            new ByteSizeValue(100, ByteSizeUnit.MB),
            Property.NodeScope,
            Property.Dynamic);
    /** The same in documents. */
    static final Setting<Integer> FLUSH_THRESHOLD_ITEMS =
            Setting.intSetting("faster_bulk.flush_threshold_items", 10_000, 1, Property.NodeScope, Property.Dynamic);
    /**
     * Writes in flight on a node; a shard that has none may always begin one. The default is what the machine can work
     * on at a time, whatever {@code node.processors} says.
     */
    static final Setting<Integer> WRITES_IN_FLIGHT = Setting.intSetting(
            "faster_bulk.writes_in_flight",
            Runtime.getRuntime().availableProcessors(),
            1,
            Property.NodeScope,
            Property.Dynamic);
    /** Sends the documents of a bulk that have neither id nor routing to one shard. */
    static final Setting<Boolean> DIRECTED_ROUTING =
            Setting.boolSetting("faster_bulk.directed_routing", false, Property.NodeScope, Property.Dynamic);
    /** The same for one index; where it is set, it wins. */
    static final Setting<Boolean> INDEX_DIRECTED_ROUTING =
            Setting.boolSetting("index.faster_bulk.directed_routing", false, Property.IndexScope, Property.Dynamic);

    private volatile boolean enabled;
    private volatile boolean directedRouting;
    private volatile WriteQueues.Limits limits;
    private volatile TimeValue windowInterval;

    FasterBulkSettings(Settings settings) {
        enabled = ENABLED.get(settings);
        directedRouting = DIRECTED_ROUTING.get(settings);
        windowInterval = WINDOW_INTERVAL.get(settings);
        limits = new WriteQueues.Limits(
                MODE.get(settings),
                FLUSH_THRESHOLD_SIZE.get(settings).getBytes(),
                FLUSH_THRESHOLD_ITEMS.get(settings),
                WRITES_IN_FLIGHT.get(settings));
    }

    static List<Setting<?>> all() {
        return List.of(
                ENABLED,
                INDEX_ENABLED,
                MODE,
                WINDOW_INTERVAL,
                FLUSH_THRESHOLD_SIZE,
                FLUSH_THRESHOLD_ITEMS,
                WRITES_IN_FLIGHT,
                DIRECTED_ROUTING,
                INDEX_DIRECTED_ROUTING);
    }

    /** Follows changes of the cluster's settings. */
    void follow(ClusterSettings cluster) {
        cluster.addSettingsUpdateConsumer(ENABLED, value -> enabled = value);
        cluster.addSettingsUpdateConsumer(DIRECTED_ROUTING, value -> directedRouting = value);
        cluster.addSettingsUpdateConsumer(WINDOW_INTERVAL, value -> windowInterval = value);
        cluster.addSettingsUpdateConsumer(
                values -> limits = new WriteQueues.Limits(
                        MODE.get(values),
                        FLUSH_THRESHOLD_SIZE.get(values).getBytes(),
                        FLUSH_THRESHOLD_ITEMS.get(values),
                        WRITES_IN_FLIGHT.get(values)),
                List.of(MODE, FLUSH_THRESHOLD_SIZE, FLUSH_THRESHOLD_ITEMS, WRITES_IN_FLIGHT));
    }

    boolean isEnabled(IndexMetadata index) {
        return INDEX_ENABLED.exists(index.getSettings()) ? INDEX_ENABLED.get(index.getSettings()) : enabled;
    }

    boolean isDirected(IndexMetadata index) {
        return INDEX_DIRECTED_ROUTING.exists(index.getSettings())
                ? INDEX_DIRECTED_ROUTING.get(index.getSettings())
                : directedRouting;
    }

    WriteQueues.Limits limits() {
        return limits;
    }

    TimeValue windowInterval() {
        return windowInterval;
    }

    private static WriteQueues.Mode mode(String value) {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "group_commit" -> WriteQueues.Mode.GROUP_COMMIT;
            case "window" -> WriteQueues.Mode.WINDOW;
            default ->
                throw new IllegalArgumentException("faster_bulk.mode is group_commit or window, not [" + value + "]");
        };
    }
}
