package io.penstock.realservers;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the tests of a class a real cluster, as a parameter of type {@link RealCluster}.
 *
 * <p>As it stands it is one node that all classes of a run share, started once and ended with the run: such tests leave
 * it as they found it. With other values the class gets a cluster of its own, which ends with the class; its tests may
 * kill, pause and restart nodes.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(RealNodeExtension.class)
public @interface RealNode {
    int nodes() default 1;

    /** Heap of each node. */
    String heap() default "512m";

    /** Settings of every node, each as {@code name=value}. */
    String[] settings() default {};

    /** Whether every node has the faster-bulk plugin. */
    boolean plugin() default false;

    /** Whether the class needs a cluster of its own although it is of the shared shape, for example to kill it. */
    boolean own() default false;
}
