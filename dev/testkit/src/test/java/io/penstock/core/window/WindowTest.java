package io.penstock.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.seeds.Seeded;
import io.penstock.testkit.seeds.Seeds;
import java.util.ArrayList;
import java.util.List;

class WindowTest {
    private static final long SECOND = 1_000_000_000L;

    /** Whatever servers answer: within the bounds, and as many permits out as were taken. */
    @Seeded(runs = 200)
    void theWindowStaysWithinItsBoundsAndLosesNoPermit(Seeds seeds) {
        int bulkMin = 1 << seeds.intBetween(10, 16);
        int bulkMax = bulkMin << seeds.intBetween(0, 6);
        int concurrencyMax = seeds.intBetween(1, 64);
        long bytesMax = (long) bulkMin * seeds.intBetween(1, 100);
        var limits = new WindowLimits(bulkMin, bulkMax, 1, concurrencyMax, bytesMax);
        var window = new Window(new WindowLaw(limits, new WindowSize(bulkMin, 1)), 0);
        var out = new ArrayList<Window.Permit>();
        long now = 0;
        for (int step = 0; step < 2_000; step++) {
            now += seeds.longBetween(0, SECOND / 10);
            if (seeds.chance(0.55) && window.hasPlace()) {
                out.add(window.take(now));
            } else if (!out.isEmpty()) {
                Outcome outcome = seeds.chance(0.8) ? Outcome.ANSWERED : seeds.pick(List.of(Outcome.values()));
                window.end(out.remove(seeds.intBetween(0, out.size())), outcome, seeds.intBetween(0, 5_000), now);
            }
            WindowSize size = window.size();
            assertThat(window.inFlight()).isEqualTo(out.size());
            assertThat(size.bulkBytes()).isBetween(bulkMin, bulkMax);
            assertThat(size.concurrency()).isBetween(1, concurrencyMax);
            assertThat(size.concurrency() == 1 || size.bytes() <= bytesMax)
                    .as("%s within %d bytes", size, bytesMax)
                    .isTrue();
        }
    }

    /** A server that can do no more than four requests at once pushes back beyond that. */
    @Seeded(runs = 20)
    void whatIsPushedBackShrinksTheWindowAndItComesBack(Seeds seeds) {
        var limits = new WindowLimits(64 << 10, 64 << 10, 1, 64, 1L << 40);
        var window = new Window(new WindowLaw(limits, new WindowSize(64 << 10, 16)), 0);
        long now = 0;
        int largestLate = 0;
        for (int round = 0; round < 400; round++) {
            var out = new ArrayList<Window.Permit>();
            window.onWaiting(1, now);
            while (window.hasPlace()) {
                out.add(window.take(now));
            }
            now += SECOND / 5 + seeds.longBetween(0, SECOND / 20);
            for (int i = 0; i < out.size(); i++) {
                window.end(out.get(i), i < 4 ? Outcome.ANSWERED : Outcome.PUSHED_BACK, i < 4 ? 500 : 0, now);
            }
            window.onWaiting(-1, now);
            if (round > 200) {
                largestLate = Math.max(largestLate, window.size().concurrency());
            }
        }
        assertThat(largestLate).isBetween(2, 12);
    }
}
