package io.penstock.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ProcessGaugeTest {
    @Test
    void addsUserAndSystemTimeWhateverTheProgramIsCalled() {
        String stat = "4711 (a b) (c) S 1 4711 4711 0 -1 4194304 9 0 0 0 1250 250 7 7 20 0 31 0 99 1 1";

        assertThat(ProcessGauge.cpuSeconds(stat)).isEqualTo(15.0);
    }

    @Test
    void takesTheHighWaterMarkOfResidentMemory() {
        assertThat(ProcessGauge.peakBytes(List.of("VmPeak:\t  900 kB", "VmHWM:\t  12 kB", "VmRSS:\t 8 kB")))
                .isEqualTo(12_288);
    }
}
