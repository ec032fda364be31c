package io.penstock.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InferredFieldTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true,false                                      | boolean",
                "\"true\",\"false\"                              | boolean",
                "0,599,-3                                        | integer",
                "1073741824                                      | integer",
                "1073741825                                      | long",
                "9223372036854775808                             | double",
                "0.5,12.25,3                                     | float",
                "0.1234567890123                                 | double",
                "\"10.0.0.1\",\"::1\",\"2001:db8::7\"            | ip",
                "\"10.0.0.256\"                                  | keyword",
                "\"10:05:03\"                                    | keyword",
                "\"2015-05-17T10:05:03Z\",\"2015-05-17\"         | date",
                "\"2015-05-17T10:05:03.123+02:00\"               | date",
                "\"2015-05-17 10:05:03\"                         | date",
                "\"17/May/2015:10:05:03 +0000\"                  | date",
                "\"2015-13-17\"                                  | keyword",
                "\"red\",\"green\"                               | keyword",
                "\"a red and a green one\",\"five words are quite many\" | text",
                "\"seven\",7                                     | keyword",
                "true,1                                          | keyword",
                "[1,2],[],[3]                                    | integer",
                "null,\"x\"                                      | keyword",
            })
    void theTypeFollowsFromAllValues(String values, String type) throws Exception {
        var field = new InferredField("f");
        field.add(JSON.readTree("[" + values + "]"));
        ObjectNode mapping = JSON.createObjectNode();
        String reason = field.decide(mapping);
        assertThat(mapping.path("type").asText()).isEqualTo(type);
        assertThat(reason).startsWith(type);
    }

    @Test
    void aDateThatIsNotIsoHasItsFormat() throws Exception {
        var field = new InferredField("f");
        field.add(JSON.readTree("\"17/May/2015:10:05:03 +0000\""));
        ObjectNode mapping = JSON.createObjectNode();
        field.decide(mapping);
        assertThat(mapping.path("format").asText()).isEqualTo("dd/MMM/yyyy:HH:mm:ss Z");
    }

    @Test
    void aDotInANameIsAMemberOfAMember() throws Exception {
        var root = new InferredField("");
        root.add(JSON.readTree("{\"geo.lat\": 1.5, \"geo\": {\"lon\": 2}}"));
        InferredField geo = root.children().iterator().next();
        assertThat(geo.isObject()).isTrue();
        assertThat(geo.children()).extracting(InferredField::path).containsExactly("geo.lat", "geo.lon");
    }

    @Test
    void whereObjectsAndPlainValuesMeetTheMoreFrequentDecides() throws Exception {
        var field = new InferredField("f");
        field.add(JSON.readTree("[{\"a\":1}, 1, 2]"));
        assertThat(field.isObject()).isFalse();
        field.add(JSON.readTree("[{\"a\":1}, {\"a\":1}]"));
        assertThat(field.isObject()).isTrue();
    }

    @Test
    void aFieldWithoutValuesIsEmpty() throws Exception {
        var field = new InferredField("f");
        field.add(JSON.readTree("[null, []]"));
        assertThat(field.isEmpty()).isTrue();
    }
}
