package io.penstock.testkit.seeds;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that runs many times, each time with another {@link Seeds} as its parameter.
 *
 * <p>The seeds are 1, 2, … {@code runs - 1}, the same in every build, and one more that is new each time. A failure
 * names its seed, and {@code -Dseed=N} runs every such test with that seed only.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(SeededRuns.class)
public @interface Seeded {

    /** How many seeds, at least 1. */
    int runs() default 200;
}
