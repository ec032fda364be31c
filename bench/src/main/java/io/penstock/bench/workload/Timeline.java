package io.penstock.bench.workload;

import java.time.LocalDate;

/** Moments in order, each a little later than the one before, as {@code 2013-12-11T08:01:45.000Z}. */
final class Timeline {
    private static final long DAY_MILLIS = 86_400_000;

    private final Seeded random;
    private final int stepMillis;
    private long day;
    private byte[] date;
    private long millisOfDay;

    /** @param stepMillis bound of what lies between two of them */
    Timeline(Seeded random, LocalDate begin, int stepMillis) {
        this.random = random;
        this.stepMillis = stepMillis;
        this.day = begin.toEpochDay();
        this.date = date(day);
    }

    void next(Bytes to) {
        millisOfDay += random.below(stepMillis);
        if (millisOfDay >= DAY_MILLIS) {
            millisOfDay -= DAY_MILLIS;
            day++;
            date = date(day);
        }
        int millis = (int) millisOfDay;
        to.put(date);
        to.digits(millis / 3_600_000, 2);
        to.put((byte) ':');
        to.digits(millis / 60_000 % 60, 2);
        to.put((byte) ':');
        to.digits(millis / 1000 % 60, 2);
        to.put((byte) '.');
        to.digits(millis % 1000, 3);
        to.put((byte) 'Z');
    }

    private static byte[] date(long epochDay) {
        return Bytes.ascii(LocalDate.ofEpochDay(epochDay) + "T");
    }
}
