package io.penstock.bench;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;

/**
 * Documents of the shape and size of the nyc_taxis data set that the seed's benchmark used, about 650 bytes each; the
 * same seed gives the same bytes. Not thread-safe.
 */
final class TaxiWorkload {
    /** Explicit, as in the benchmarks that use this data: nothing is found out while loading. */
    static final String MAPPING = """
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
            "trip_type":{"type":"keyword"},"cab_color":{"type":"keyword"}}}""";

    private final Random random;

    TaxiWorkload(long seed) {
        this.random = new Random(seed);
    }

    /** The next document, without a line end. */
    String next() {
        int day = 1 + random.nextInt(28);
        int hour = random.nextInt(23);
        double fare = 2.5 + random.nextInt(6000) / 100.0;
        double tip = random.nextInt(1500) / 100.0;
        return String.format(
                Locale.ROOT,
                """
                {"vendor_id":"%d","pickup_datetime":"2015-01-%02d %02d:%02d:%02d","dropoff_datetime":"2015-01-%02d %02d:%02d:%02d",\
                "passenger_count":%d,"trip_distance":%.2f,"pickup_location":[%.15f,%.15f],"dropoff_location":[%.15f,%.15f],\
                "rate_code_id":"%d","store_and_fwd_flag":"%s","payment_type":"%d","fare_amount":%.2f,"surcharge":0.5,"mta_tax":0.5,\
                "tip_amount":%.2f,"tolls_amount":%.2f,"improvement_surcharge":0.3,"total_amount":%.2f,"ehail_fee":0.0,\
                "trip_type":"%d","cab_color":"%s"}""",
                1 + random.nextInt(2),
                day,
                hour,
                random.nextInt(60),
                random.nextInt(60),
                day,
                hour + 1,
                random.nextInt(60),
                random.nextInt(60),
                1 + random.nextInt(6),
                random.nextInt(3000) / 100.0,
                -74 + random.nextDouble() / 4,
                40.6 + random.nextDouble() / 4,
                -74 + random.nextDouble() / 4,
                40.6 + random.nextDouble() / 4,
                1 + random.nextInt(6),
                random.nextInt(50) == 0 ? "Y" : "N",
                1 + random.nextInt(4),
                fare,
                tip,
                random.nextInt(10) == 0 ? 5.33 : 0.0,
                fare + tip + 1.3,
                1 + random.nextInt(2),
                random.nextBoolean() ? "yellow" : "green");
    }

    /** The body of a bulk of so many documents, without ids. */
    byte[] bulk(int documents) {
        var body = new StringBuilder();
        for (int i = 0; i < documents; i++) {
            body.append("{\"index\":{}}\n").append(next()).append('\n');
        }
        return body.toString().getBytes(StandardCharsets.UTF_8);
    }
}
