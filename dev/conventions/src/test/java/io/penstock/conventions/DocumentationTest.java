package io.penstock.conventions;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.delivery.Triage;
import io.penstock.job.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Prose that repeats code drifts, unless a test reads both. */
class DocumentationTest {
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
    private static final Pattern QUOTED = Pattern.compile("`([A-Z][A-Za-z0-9]+(?:\\.[A-Za-z]+)*)`");
    private static final Pattern STEP = Pattern.compile("Steps? (\\d)[a-z]?(?: (to|and) (\\d))? of the load path");

    @Test
    void linksLeadSomewhere() {
        var broken = new ArrayList<String>();
        for (Path document : Repository.files(".md")) {
            Matcher link = LINK.matcher(Repository.read(document));
            while (link.find()) {
                String target = link.group(1);
                if (!target.contains("://") && !leadsSomewhere(document, target)) {
                    broken.add(Repository.root().relativize(document) + " -> " + target);
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    private static boolean leadsSomewhere(Path document, String target) {
        String[] parts = target.split("#", 2);
        Path folder = Objects.requireNonNull(document.getParent());
        Path file = parts[0].isEmpty() ? document : folder.resolve(parts[0]);
        if (!Files.exists(file)) {
            return false;
        }
        return parts.length < 2
                || Repository.read(file)
                        .lines()
                        .filter(line -> line.startsWith("#"))
                        .map(line -> line.replaceFirst("^#+ ", "")
                                .toLowerCase(Locale.ROOT)
                                .replaceAll("[^a-z0-9 -]", "")
                                .replace(' ', '-'))
                        .anyMatch(parts[1]::equals);
    }

    @Test
    void theVerdictTableIsTriage() throws IOException {
        String table = Triage.rows().stream()
                .map(DocumentationTest::row)
                .collect(Collectors.joining(
                        "",
                        "| Level | HTTP status | Error type | Reason contains | It means | What is done |\n|---|---|---|---|---|---|\n",
                        ""));
        Generated.check("docs/delivery.md", "Triage", table);
    }

    private static String row(Triage.Row row) {
        String statuses = row.statuses().stream()
                .sorted()
                .map(status -> status < 10 ? status + "xx" : status.toString())
                .collect(Collectors.joining(", "));
        String types =
                row.types().stream().sorted().map(type -> "`" + type + "`").collect(Collectors.joining(", "));
        return "| %s | %s | %s | %s | %s | %s |\n"
                .formatted(
                        row.level().name().toLowerCase(Locale.ROOT),
                        statuses.isEmpty() ? "any" : statuses,
                        types.isEmpty() ? "any" : types,
                        row.inReason().isEmpty() ? "" : "`" + row.inReason() + "`",
                        row.meaning(),
                        row.treatment().words());
    }

    /** 3 is no code of ours: the JVM ends with it when it has no memory left. */
    @Test
    void theExitCodesAreThoseOfTheEnum() {
        Set<Integer> ours =
                Arrays.stream(ExitCode.values()).map(ExitCode::number).collect(Collectors.toSet());
        Set<Integer> documented = codes(Repository.section(Repository.read("docs/cli.md"), "## Exit codes"));
        Set<Integer> inReadme = codes(Repository.section(Repository.read("README.md"), "## Exit codes"));

        assertThat(ours).isSubsetOf(documented).containsAll(inReadme);
        documented.removeAll(ours);
        assertThat(documented).containsExactly(3);
    }

    private static Set<Integer> codes(String section) {
        var codes = new TreeSet<Integer>();
        section.lines().filter(line -> line.matches("\\| \\d.*")).forEach(line -> {
            for (String code : line.split("\\|", -1)[1].strip().split(", ")) {
                codes.add(Integer.parseInt(code));
            }
        });
        return codes;
    }

    @Test
    void theModuleTableIsWhatThePomsSay() {
        var documented = new TreeMap<String, Set<String>>();
        Repository.section(Repository.read("ARCHITECTURE.md"), "## Modules")
                .lines()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.split(" \\| "))
                .forEach(cells -> documented.put(
                        cells[0].replaceAll("[|` ]", ""),
                        cells[1].equals("nothing") ? Set.of() : new TreeSet<>(List.of(cells[1].split(", ")))));

        assertThat(documented).isEqualTo(dependencies());
    }

    private static Map<String, Set<String>> dependencies() {
        Map<String, String> poms = new TreeMap<>();
        Map<String, String> folders = new HashMap<>();
        for (Path pom : Repository.files("/pom.xml")) {
            String folder = Repository.root().relativize(pom).toString().replaceFirst("/?pom\\.xml$", "");
            if (!folder.isEmpty()) {
                String own = Repository.read(pom).replaceFirst("(?s)<parent>.*?</parent>", "");
                poms.put(folder, own);
                folders.put(own.replaceFirst("(?s).*?<artifactId>(.*?)</artifactId>.*", "$1"), folder);
            }
        }
        var found = new TreeMap<String, Set<String>>();
        poms.forEach((folder, pom) -> {
            var uses = new TreeSet<String>();
            folders.forEach((artifact, used) -> {
                if (!used.equals(folder) && pom.contains("<artifactId>" + artifact + "</artifactId>")) {
                    uses.add(used);
                }
            });
            found.put(folder, uses);
        });
        return found;
    }

    @Test
    void theArchitectureNamesTypesThatExist() {
        String text = Repository.read("ARCHITECTURE.md");
        String now = text.substring(0, text.indexOf("## Where the code differs"));
        String sources =
                Repository.files(".java").stream().map(Repository::read).collect(Collectors.joining("\n"));
        Set<String> missing = new TreeSet<>();
        Matcher name = QUOTED.matcher(now);
        while (name.find()) {
            for (String part : name.group(1).split("\\.")) {
                boolean isType = Character.isUpperCase(part.charAt(0));
                if (isType && !sources.matches("(?s).*\\b(class|record|interface|enum) " + part + "\\b.*")) {
                    missing.add(part);
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    /** Each step of "Follow one document" names a type whose Javadoc says that it is that step. */
    @Test
    void eachStepIsSaidByTheTypeThatTakesIt() {
        Map<String, Set<Integer>> steps = new HashMap<>();
        for (Path file : Repository.files(".java")) {
            String type = String.valueOf(file.getFileName()).replace(".java", "");
            Matcher step = STEP.matcher(Repository.read(file).replaceAll("\\s*\\n \\* ", " "));
            while (step.find()) {
                steps.computeIfAbsent(type, any -> new TreeSet<>()).addAll(numbers(step));
            }
        }
        String[] described = Repository.section(Repository.read("ARCHITECTURE.md"), "## Follow one document")
                .split("\n(?=\\d\\. )");
        assertThat(described).as("an introduction and eight steps").hasSize(9);
        for (int step = 1; step < described.length; step++) {
            int number = step;
            assertThat(QUOTED.matcher(described[step]).results().map(found -> found.group(1)))
                    .as("step " + step)
                    .anyMatch(type -> steps.getOrDefault(type, Set.of()).contains(number));
        }
    }

    private static List<Integer> numbers(Matcher step) {
        int first = Integer.parseInt(step.group(1));
        int last = step.group(3) == null ? first : Integer.parseInt(step.group(3));
        return "and".equals(step.group(2))
                ? List.of(first, last)
                : IntStream.rangeClosed(first, last).boxed().toList();
    }

    @Test
    void noFileNamesAFolderOfSomebodysMachineOrARegistry() {
        Pattern machine = Pattern.compile(
                "(?<![\\w.$}>-])/(" + "work|root|home/\\w+|tm" + "p)/|repo1?\\.ma" + "ven|maven\\.googl" + "eapis");
        var found = new ArrayList<String>();
        for (Path file : Repository.files(".java", ".md", ".xml", ".json", ".yml", ".txt", "/penstock", "/run")) {
            Repository.read(file)
                    .lines()
                    .filter(line -> machine.matcher(line).find())
                    .forEach(line -> found.add(Repository.root().relativize(file) + ": " + line.strip()));
        }
        assertThat(found).isEmpty();
    }

    @Test
    void longDocumentsStayShort() {
        assertThat(Repository.read("README.md").lines().count()).isLessThanOrEqualTo(150);
        assertThat(Repository.read("ARCHITECTURE.md").lines().count()).isLessThanOrEqualTo(400);
        assertThat(Repository.read("docs/glossary.md").lines().count()).isLessThanOrEqualTo(60);
    }
}
