package io.penstock.bench.workload;

/**
 * Documents of the shape and size of the nyc_taxis data set that Alibaba's benchmark used, about 650 bytes each, with
 * the zones that later years of the data have.
 */
final class Taxis implements Workload {
    private static final byte[][] KEYS = Bytes.terms(
            "{\"vendor_id\": \"",
            "\", \"pickup_datetime\": \"2015-01-",
            "\", \"dropoff_datetime\": \"2015-01-",
            "\", \"passenger_count\": ",
            ", \"trip_distance\": ",
            ", \"pickup_location\": [-73.",
            ", 40.",
            "], \"dropoff_location\": [-73.",
            ", 40.",
            "], \"rate_code_id\": \"",
            "\", \"store_and_fwd_flag\": \"",
            "\", \"payment_type\": \"",
            "\", \"fare_amount\": ",
            ", \"surcharge\": 0.5, \"mta_tax\": 0.5, \"tip_amount\": ",
            ", \"tolls_amount\": ",
            ", \"improvement_surcharge\": 0.3, \"total_amount\": ",
            ", \"ehail_fee\": 0.0, \"trip_type\": \"",
            "\", \"cab_color\": \"",
            "\", \"pickup_zone\": \"",
            "\", \"dropoff_zone\": \"");
    private static final byte[][] TOLLS = Bytes.terms("0.00", "0.00", "0.00", "0.00", "5.33");
    private static final byte[][] COLOURS = Bytes.terms("yellow", "green");
    private static final byte[][] ZONES = Bytes.terms(
            "Manhattan, Upper East Side North",
            "Manhattan, Times Square/Theatre District",
            "Queens, LaGuardia Airport",
            "Brooklyn, Prospect-Lefferts Gardens",
            "Manhattan, Lower East Side");
    private static final byte[] END = Bytes.ascii("\"}\n");
    private static final byte[] YES = Bytes.ascii("Y");
    private static final byte[] NO = Bytes.ascii("N");

    private final Seeded random;

    Taxis(long seed) {
        this.random = new Seeded(seed);
    }

    /** Explicit, as in the benchmarks that use this data. */
    @Override
    public String mapping() {
        return """
            {"dynamic":"strict","properties":{
            "vendor_id":{"type":"keyword"},"pickup_datetime":{"type":"date","format":"yyyy-MM-dd HH:mm:ss"},
            "dropoff_datetime":{"type":"date","format":"yyyy-MM-dd HH:mm:ss"},"passenger_count":{"type":"integer"},
            "trip_distance":{"type":"scaled_float","scaling_factor":100},"pickup_location":{"type":"geo_point"},
            "dropoff_location":{"type":"geo_point"},"rate_code_id":{"type":"keyword"},"store_and_fwd_flag":{"type":"keyword"},
            "payment_type":{"type":"keyword"},"fare_amount":{"type":"scaled_float","scaling_factor":100},
            "surcharge":{"type":"scaled_float","scaling_factor":100},"mta_tax":{"type":"scaled_float","scaling_factor":100},
            "tip_amount":{"type":"scaled_float","scaling_factor":100},"tolls_amount":{"type":"scaled_float","scaling_factor":100},
            "improvement_surcharge":{"type":"scaled_float","scaling_factor":100},
            "total_amount":{"type":"scaled_float","scaling_factor":100},"ehail_fee":{"type":"scaled_float","scaling_factor":100},
            "trip_type":{"type":"keyword"},"cab_color":{"type":"keyword"},
            "pickup_zone":{"type":"keyword"},"dropoff_zone":{"type":"keyword"}}}""";
    }

    @Override
    public String query() {
        return """
                {"bool":{"filter":[{"range":{"total_amount":{"gte":5,"lt":15}}},{"term":{"cab_color":"green"}}]}}""";
    }

    @Override
    public void next(Bytes to) {
        int key = 0;
        to.put(KEYS[key++]);
        to.number(1 + random.below(2));
        to.put(KEYS[key++]);
        int day = 1 + random.below(28);
        int hour = random.below(23);
        moment(to, day, hour);
        to.put(KEYS[key++]);
        moment(to, day, hour + 1);
        to.put(KEYS[key++]);
        to.number(1 + random.below(6));
        to.put(KEYS[key++]);
        to.hundredths(random.below(3_000));
        for (int place = 0; place < 2; place++) {
            to.put(KEYS[key++]);
            coordinate(to);
            to.put(KEYS[key++]);
            coordinate(to);
        }
        to.put(KEYS[key++]);
        to.number(1 + random.below(6));
        to.put(KEYS[key++]);
        to.put(random.below(50) == 0 ? YES : NO);
        to.put(KEYS[key++]);
        to.number(1 + random.below(4));
        to.put(KEYS[key++]);
        int fare = 250 + random.below(6_000);
        int tip = random.below(1_500);
        to.hundredths(fare);
        to.put(KEYS[key++]);
        to.hundredths(tip);
        to.put(KEYS[key++]);
        to.put(random.one(TOLLS));
        to.put(KEYS[key++]);
        to.hundredths(fare + tip + 130);
        to.put(KEYS[key++]);
        to.number(1 + random.below(2));
        to.put(KEYS[key++]);
        to.put(random.one(COLOURS));
        to.put(KEYS[key++]);
        to.put(random.one(ZONES));
        to.put(KEYS[key]);
        to.put(random.one(ZONES));
        to.put(END);
    }

    private void moment(Bytes to, int day, int hour) {
        to.digits(day, 2);
        to.put((byte) ' ');
        to.digits(hour, 2);
        to.put((byte) ':');
        to.digits(random.below(60), 2);
        to.put((byte) ':');
        to.digits(random.below(60), 2);
    }

    /** What stands behind the decimal point: a quarter of a degree, with fifteen digits as the data has them. */
    private void coordinate(Bytes to) {
        to.digits(75_000 + random.below(25_000), 5);
        to.digits(random.below(100_000), 5);
        to.digits(random.below(100_000), 5);
    }
}
