package io.penstock.conventions;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.FileDescriptor;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ArchitectureTest {
    /** What each package of the core may import of the core. What is not listed may not. */
    private static final Map<String, List<String>> CORE = Map.ofEntries(
            Map.entry("document", List.of()),
            Map.entry("time", List.of()),
            Map.entry("state", List.of()),
            Map.entry("source", List.of("document")),
            Map.entry("fate", List.of()),
            Map.entry("window", List.of()),
            Map.entry("batch", List.of("document")),
            Map.entry("deadletter", List.of("document", "state")),
            Map.entry("delivery", List.of("batch", "document", "fate", "window")),
            Map.entry("event", List.of("document", "fate", "source", "window")),
            Map.entry("checkpoint", List.of("batch", "document", "fate", "source", "state")),
            Map.entry(
                    "load",
                    List.of(
                            "batch",
                            "checkpoint",
                            "deadletter",
                            "delivery",
                            "document",
                            "event",
                            "fate",
                            "source",
                            "state",
                            "time",
                            "window")));

    /** What each module may import of the others; `core` and the libraries are in the POMs. */
    private static final Map<String, List<String>> MODULES = Map.of(
            "core", List.of(),
            "envelope", List.of(),
            "job", List.of("core", "envelope"),
            "cluster", List.of("core", "envelope", "job"),
            "source", List.of("core"),
            "node", List.of(),
            "feed", List.of(),
            "fasterbulk", List.of(),
            "bench", List.of("core", "job", "cluster", "node", "source"),
            "cli", List.of("core", "envelope", "job", "cluster", "source", "node", "feed", "bench"));

    /** Where the machine is touched: its clock, its disk, its threads, its streams. */
    private static final String[] ADAPTERS = {
        "io.penstock.cluster..",
        "io.penstock.node..",
        "io.penstock.source..",
        "io.penstock.feed..",
        "io.penstock.cli..",
        "io.penstock.bench.."
    };

    private static JavaClasses ours = new ClassFileImporter().importPackages("io.penstock.none");

    @BeforeAll
    static void importClasses() {
        ours = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("penstock/conventions"))
                .importPackages("io.penstock");
    }

    static Stream<String> corePackages() {
        return CORE.keySet().stream().sorted();
    }

    static Stream<String> modules() {
        return MODULES.keySet().stream().sorted();
    }

    @ParameterizedTest
    @MethodSource("corePackages")
    void aPackageOfTheCoreImportsOnlyWhatTheTableAllows(String name) {
        onlyImports("io.penstock.core", name, CORE.getOrDefault(name, List.of()))
                .check(ours);
    }

    @ParameterizedTest
    @MethodSource("modules")
    void aModuleImportsOnlyWhatTheTableAllows(String name) {
        onlyImports("io.penstock", name, MODULES.getOrDefault(name, List.of())).check(ours);
    }

    @Test
    void thePackageTableIsComplete() {
        List<String> inTable = CORE.keySet().stream()
                .map(name -> "io.penstock.core." + name + "..")
                .toList();
        classes()
                .that()
                .resideInAPackage("io.penstock.core..")
                .should()
                .resideInAnyPackage(inTable.toArray(String[]::new))
                .check(ours);
    }

    @Test
    void theCoreUsesNothingButTheJdk() {
        classes()
                .that()
                .resideInAPackage("io.penstock.core..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage("io.penstock.core..", "java..", "org.jspecify.annotations"))
                .check(ours);
    }

    @Test
    void thePluginUsesNothingButTheServer() {
        classes()
                .that()
                .resideInAPackage("io.penstock.fasterbulk..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "io.penstock.fasterbulk..",
                        "java..",
                        "org.opensearch..",
                        "org.apache.logging.log4j..",
                        "org.jspecify.annotations"))
                .check(ours);
    }

    @Test
    void onlyClusterSpeaksHttpAndNodeOnlyAsksItsOwnServers() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.penstock.cluster..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.hc..")
                .check(ours);
        noClasses()
                .that()
                .resideOutsideOfPackages("io.penstock.node..", "io.penstock.bench..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.net.http..")
                .check(ours);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("io.penstock.core.(*)..").should().beFreeOfCycles().check(ours);
        slices().matching("io.penstock.(*)..").should().beFreeOfCycles().check(ours);
    }

    @Test
    void onlyTheClockAndTheAdaptersReadTheTime() {
        noClasses()
                .that(areOutside(List.of("io.penstock.core.time..")))
                .should()
                .callMethodWhere(named(System.class, "nanoTime"))
                .orShould()
                .callMethodWhere(named(System.class, "currentTimeMillis"))
                .check(ours);
    }

    @Test
    void onlyTheClockAndTheAdaptersSleep() {
        noClasses()
                .that(areOutside(List.of("io.penstock.core.time..")))
                .should()
                .callMethodWhere(named(Thread.class, "sleep"))
                .check(ours);
    }

    /** Two exceptions: the heartbeat of an envelope lasts longer than a load, and who follows a load is beside it. */
    @Test
    void onlyLoadAndTheAdaptersStartThreads() {
        noClasses()
                .that(areOutside(List.of("io.penstock.core.load..")))
                .and()
                .doNotHaveFullyQualifiedName("io.penstock.job.HeldEnvelope")
                .and()
                .doNotHaveFullyQualifiedName("io.penstock.job.Following")
                .should()
                .callConstructorWhere(
                        describe("of a thread", call -> call.getTargetOwner().isAssignableTo(Thread.class)))
                .orShould()
                .callMethodWhere(named(Thread.class, "ofVirtual"))
                .orShould()
                .callMethodWhere(named(Thread.class, "ofPlatform"))
                .check(ours);
    }

    /**
     * Two exceptions beside the adapters: the checkpoint store reads its two files by itself (writing is in state), and
     * a job looks whether a file of dead letters is there, for its report.
     */
    @Test
    void onlyStateAndTheAdaptersTouchFiles() {
        noClasses()
                .that(areOutside(List.of("io.penstock.core.state..")))
                .and()
                .doNotHaveFullyQualifiedName("io.penstock.core.checkpoint.CheckpointStore")
                .and()
                .doNotHaveFullyQualifiedName("io.penstock.job.Job")
                .should()
                .dependOnClassesThat(type(Files.class))
                .check(ours);
    }

    @Test
    void chanceComesAsAnArgument() {
        noClasses().should().callMethodWhere(named(Math.class, "random")).check(ours);
    }

    /** Standard input is read by the file source; everything printed goes through the command line's own writers. */
    @Test
    void nobodyUsesTheStandardStreams() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("io.penstock.bench.trial.BareLoader") // a program of its own
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .check(ours);
    }

    @Test
    void namesSayWhatAThingIs() {
        noClasses()
                .should()
                .haveNameMatching(".*(Manager|Helper|Utils?|Impl|Processor|Info|Data)")
                .orShould()
                .haveNameMatching(".*\\.(Abstract|Base)[A-Z].*")
                .check(ours);
    }

    /** A rule that cannot fail holds nothing: each is turned against what the code is known to do. */
    @Test
    void theRulesCanFail() {
        fails(onlyImports("io.penstock.core", "load", List.of("batch")));
        fails(onlyImports("io.penstock", "cli", List.of("core")));
        fails(noClasses().should().callMethodWhere(named(System.class, "nanoTime")));
        fails(noClasses().should().callMethodWhere(named(Thread.class, "sleep")));
        fails(noClasses().should().callMethodWhere(named(Thread.class, "ofVirtual")));
        fails(noClasses().should().dependOnClassesThat(type(Files.class)));
        fails(noClasses().should().accessField(FileDescriptor.class, "in"));
        fails(noClasses().should().haveNameMatching(".*(Ledger|Window)"));
        fails(noClasses().should().dependOnClassesThat().resideInAPackage("org.apache.hc.."));
    }

    private static void fails(ArchRule rule) {
        assertThatThrownBy(() -> rule.check(ours)).isInstanceOf(AssertionError.class);
    }

    private static ArchRule onlyImports(String root, String name, List<String> allowed) {
        String[] known = Stream.concat(Stream.of(name), allowed.stream())
                .map(other -> root + "." + other + "..")
                .toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(root + "." + name + "..")
                .should()
                .dependOnClassesThat(resideInAnyPackage(root + "..")
                        .and(DescribedPredicate.not(resideInAnyPackage(known)))
                        .as("of ours that are not in " + List.of(known)));
    }

    private static DescribedPredicate<JavaClass> areOutside(List<String> alsoAllowed) {
        String[] allowed =
                Stream.concat(Stream.of(ADAPTERS), alsoAllowed.stream()).toArray(String[]::new);
        return DescribedPredicate.not(resideInAnyPackage(allowed)).as("are outside the adapters and " + alsoAllowed);
    }

    private static DescribedPredicate<com.tngtech.archunit.core.domain.JavaMethodCall> named(
            Class<?> owner, String method) {
        return describe(
                owner.getSimpleName() + "." + method,
                call -> call.getTargetOwner().isEquivalentTo(owner)
                        && call.getTarget().getName().equals(method));
    }
}
