package io.penstock.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DistributionTest {
    @ParameterizedTest
    @CsvSource({
        "3.6.0, OpenSearch 3.6.0, 21 or newer",
        "2.19.1, OpenSearch 2.19.1, 11 to 23",
        "opensearch:3.6.0, OpenSearch 3.6.0, 21 or newer",
        "OpenSearch:4.0.0-beta1, OpenSearch 4.0.0-beta1, 21 or newer",
        "elasticsearch:7.17.29, Elasticsearch 7.17.29, 11 to 23",
        "elasticsearch:8.1.0, Elasticsearch 8.1.0, 17 to 23",
        "elasticsearch:8.19.21, Elasticsearch 8.19.21, 17 or newer",
        "elasticsearch:9.1.0, Elasticsearch 9.1.0, 21 or newer",
    })
    void readsAVersionAndKnowsItsJava(String text, String title, String releases) {
        Distribution distribution = Distribution.parse(text);

        assertThat(distribution.title()).isEqualTo(title);
        assertThat(distribution.javaReleases()).hasToString(releases);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "3.6", "latest", "solr:9.0.0", "3.6.0:opensearch", "3.6.0/../..", "opensearch:", "1.2.3-"})
    void refusesWhatIsNoVersion(String text) {
        assertThatThrownBy(() -> Distribution.parse(text))
                .isInstanceOfSatisfying(
                        NodeException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(NodeException.Reason.USAGE))
                .hasMessageContaining("write it like 3.6.0");
    }

    @Test
    void namesTheArchiveAndItsChecksum() {
        assertThat(Distribution.parse("elasticsearch:8.19.21").coordinates())
                .isEqualTo("org.elasticsearch.distribution.integ-test-zip:elasticsearch:8.19.21:zip");
        assertThat(Distribution.DEFAULT.sha256())
                .hasValueSatisfying(sum -> assertThat(sum).hasSize(64));
        assertThat(Distribution.parse("3.5.0").sha256()).isEmpty();
    }
}
