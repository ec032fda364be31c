package io.penstock.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RememberedDeletesTest {
    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

    @Test
    void warnsWhenAWriteMayBeTriedForLonger() {
        assertThat(new RememberedDeletes("catalog", "60s").warning(TEN_MINUTES))
                .get()
                .asString()
                .contains("catalog", "60s", "index.gc_deletes", "600 s", "--max-outage");
    }

    @Test
    void isSilentWhenItIsLongEnough() {
        assertThat(new RememberedDeletes("catalog", RememberedDeletes.FOR_TOPICS).warning(TEN_MINUTES))
                .isEmpty();
        assertThat(new RememberedDeletes("catalog", "10m").warning(TEN_MINUTES)).isEmpty();
    }

    /** {@code --max-outage 0}: no time is long enough. */
    @Test
    void warnsWhenAWriteIsTriedForEver() {
        assertThat(new RememberedDeletes("catalog", RememberedDeletes.FOR_TOPICS).warning(Duration.ZERO))
                .get()
                .asString()
                .contains("for ever");
    }

    @Test
    void isSilentAboutATimeThatIsNotWrittenAsPeopleDo() {
        assertThat(new RememberedDeletes("catalog", "600micros").warning(TEN_MINUTES))
                .isEmpty();
    }
}
