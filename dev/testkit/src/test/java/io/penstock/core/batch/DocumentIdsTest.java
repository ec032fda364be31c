package io.penstock.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.seeds.Seeded;
import io.penstock.testkit.seeds.Seeds;

class DocumentIdsTest {
    @Seeded(runs = 200)
    void theSameDocumentHasTheSameIdAndEveryOtherAnother(Seeds seeds) {
        String index = seeds.asciiWord(1, 20);
        String identity = seeds.asciiWord(1, 40);
        long offset = offset(seeds);
        String id = new DocumentIds(index, identity).at(offset);

        assertThat(new DocumentIds(index, identity).at(offset)).isEqualTo(id);
        assertThat(id).hasSizeBetween(9, 19).matches("[-0-9A-Z_a-z]+");
        assertThat(new DocumentIds(index, identity).at(offset + 1)).isNotEqualTo(id);
        assertThat(new DocumentIds(index, identity + "x").at(offset)).isNotEqualTo(id);
        assertThat(new DocumentIds(index + "x", identity).at(offset)).isNotEqualTo(id);
    }

    /** Lucene's term dictionary appends increasing ids cheaply. */
    @Seeded(runs = 200)
    void idsIncreaseWithThePosition(Seeds seeds) {
        var ids = new DocumentIds("logs", "file");
        long one = offset(seeds);
        long other = offset(seeds);
        assertThat(Integer.signum(ids.at(one).compareTo(ids.at(other)))).isEqualTo(Long.compare(one, other));
    }

    private static long offset(Seeds seeds) {
        return seeds.longBetween(0, Long.MAX_VALUE) >>> seeds.intBetween(0, 62);
    }
}
