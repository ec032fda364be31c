package io.penstock.testkit.seeds;

import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/** Turns a {@link Seeded} method into its runs. */
final class SeededRuns implements TestTemplateInvocationContextProvider {

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return AnnotationSupport.isAnnotated(context.getTestMethod(), Seeded.class);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        int runs = AnnotationSupport.findAnnotation(context.getTestMethod(), Seeded.class)
                .map(Seeded::runs)
                .orElseThrow();
        if (runs < 1) {
            throw new IllegalArgumentException("@Seeded needs at least one run, not " + runs);
        }
        return seeds(Optional.ofNullable(System.getProperty("seed")), runs).mapToObj(Run::new);
    }

    /** The one that is asked for, or the fixed ones and a new one. */
    static LongStream seeds(Optional<String> wanted, int runs) {
        if (wanted.isPresent()) {
            return LongStream.of(Long.parseLong(wanted.get().strip()));
        }
        // Positive and above every fixed seed, so that it is easy to copy and never a repetition.
        long fresh = new SecureRandom().nextLong(1L << 32, Long.MAX_VALUE);
        return LongStream.concat(LongStream.range(1, runs), LongStream.of(fresh));
    }

    private record Run(long seed) implements TestTemplateInvocationContext {

        @Override
        public String getDisplayName(int invocationIndex) {
            return "seed " + seed;
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(new SeedsParameter(seed), new SeedInFailure(seed));
        }
    }

    private record SeedsParameter(long seed) implements ParameterResolver {

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Seeds.class;
        }

        @Override
        public Seeds resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return new Seeds(seed);
        }
    }

    private record SeedInFailure(long seed) implements TestExecutionExceptionHandler {

        @Override
        public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
            if (failure instanceof TestAbortedException) {
                throw failure;
            }
            throw new AssertionError("seed " + seed + ", repeat with -Dseed=" + seed + ": " + failure, failure);
        }
    }
}
