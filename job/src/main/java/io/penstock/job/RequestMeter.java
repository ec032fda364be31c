package io.penstock.job;

import io.penstock.core.event.LoadEvent;
import io.penstock.core.event.LoadListener;
import io.penstock.core.window.Outcome;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;

/** Counts bulk requests and their times. Thread-safe. */
final class RequestMeter implements LoadListener {
    private static final long SLOWEST_MICROS = TimeUnit.HOURS.toMicros(1);

    private final ConcurrentHistogram micros = new ConcurrentHistogram(SLOWEST_MICROS, 3);
    private final LongAdder sent = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    private final LongAdder tooLarge = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    @Override
    public void on(LoadEvent event) {
        if (event instanceof LoadEvent.RequestEnded request) {
            sent.increment();
            bytes.add(request.bytes());
            micros.recordValue(Math.clamp(TimeUnit.NANOSECONDS.toMicros(request.nanos()), 0, SLOWEST_MICROS));
            if (request.outcome() == Outcome.PUSHED_BACK) {
                rejected.increment();
            }
            if (request.tooLarge()) {
                tooLarge.increment();
            }
        }
    }

    JobReport.Requests requests() {
        return new JobReport.Requests(
                sent.sum(),
                rejected.sum(),
                tooLarge.sum(),
                bytes.sum(),
                micros.getValueAtPercentile(50) / 1000.0,
                micros.getValueAtPercentile(99) / 1000.0);
    }
}
