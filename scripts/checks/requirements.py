"""docs/requirements.md has the rows A1 to A24, B1 to B22, C1 to C39, D1 to D33 and E1 to E25, in order, and every named
test or script exists."""
import re

DOCUMENT = "docs/requirements.md"
# The number of rows of each letter.
TABLES = {"A": 24, "B": 22, "C": 39, "D": 33, "E": 25}


def functions(project):
    """The functions of every suite, by the suite's name."""
    suites = {}
    for path in project.matching(r"^Tests/.*\.swift$"):
        text = project.text(path)
        begins = [(found.start(), found[1]) for found in re.finditer(r"^\s*(?:struct|final class) (\w+)", text, re.M)]
        for test in re.finditer(r"@Test\b", text):
            function = re.compile(r"\bfunc (?:(\w+)|`([^`]+)`)").search(text, test.end())
            for owner in [name for start, name in begins if function and start < test.start()]:
                suites.setdefault(owner, set()).add(function[1] or function[2])
    return suites


def faults(project):
    lines = project.text(DOCUMENT).splitlines()
    suites = functions(project)
    for letter, count in TABLES.items():
        rows = [(index, line) for index, line in enumerate(lines, 1) if re.match(rf"\| {letter}\d+ \|", line)]
        numbers = [int(re.match(r"\| [A-Z](\d+)", row)[1]) for _, row in rows]
        if numbers != list(range(1, count + 1)):
            yield f"{DOCUMENT}:{rows[0][0] if rows else 1}: the rows {letter} are {numbers}, not 1 to {count}"
        for index, row in rows:
            cell = row.strip("|").split("|")[-1]
            place = f"{DOCUMENT}:{index}"
            scripts = re.findall(r"`(scripts/[^`]+)`", cell)
            tests = [test for test in re.findall(r"`(\w+)(?:/([^`]+))?`", cell) if test[0] != "scripts"]
            if not tests and not scripts:
                yield f"{place}: no test"
            for script in scripts:
                if not (project.root / script).exists():
                    yield f"{place}: there is no {script}"
            for suite, function in tests:
                if suite not in suites or (function and function not in suites[suite]):
                    yield f"{place}: there is no test {suite}{'/' + function if function else ''}"
