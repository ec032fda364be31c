package io.penstock.realservers;

import io.penstock.node.ClusterSpec;
import io.penstock.node.Distribution;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Starts what {@link RealNode} asks for, when a test first needs it; JUnit's stores end it, also after a failure. */
final class RealNodeExtension implements ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(RealNodeExtension.class);

    /** Every half a minute the server takes away blocks of a full disk that it finds unfounded, such as a test's. */
    private static final Map<String, String> UNDISTURBED = Map.of("cluster.info.update.interval", "1h");

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType().equals(RealCluster.class);
    }

    @Override
    public RealCluster resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> test = outermost(context.getRequiredTestClass());
        RealNode wanted = test.getAnnotation(RealNode.class);
        if (wanted == null) {
            throw new IllegalStateException(test + " is not annotated with @RealNode");
        }
        ClusterSpec spec = new ClusterSpec(
                Distribution.DEFAULT,
                wanted.nodes(),
                wanted.heap(),
                settings(wanted.settings()),
                wanted.plugin() ? List.of(RealCluster.PLUGIN) : List.of());
        boolean shared = !wanted.own() && !wanted.plugin() && wanted.nodes() == 1 && wanted.settings().length == 0;
        String name = shared ? "shared" : test.getSimpleName().toLowerCase(Locale.ROOT);
        return store(context, test, shared)
                .computeIfAbsent(name, ignored -> RealCluster.start(name, spec), RealCluster.class);
    }

    private static ExtensionContext.Store store(ExtensionContext context, Class<?> test, boolean shared) {
        if (shared) {
            return context.getRoot().getStore(NAMESPACE);
        }
        ExtensionContext owner = context;
        while (owner.getTestMethod().isPresent() || !owner.getTestClass().equals(Optional.of(test))) {
            owner = owner.getParent().orElseThrow();
        }
        return owner.getStore(NAMESPACE);
    }

    private static Class<?> outermost(Class<?> nested) {
        Class<?> outer = nested;
        while (outer.getEnclosingClass() != null) {
            outer = outer.getEnclosingClass();
        }
        return outer;
    }

    private static Map<String, String> settings(String[] pairs) {
        Map<String, String> settings = new HashMap<>(UNDISTURBED);
        Arrays.stream(pairs).map(pair -> pair.split("=", 2)).forEach(pair -> settings.put(pair[0], pair[1]));
        return settings;
    }
}
