#!/usr/bin/env python3
"""Checks docs/requirements.md: the rows A1 to A24, B1 to B22, C1 to C39, D1 to D33 and E1 to E25 are all there, in order, and every
named test or script exists.

    scripts/checks/requirements.py [ROOT]      default: the project's folder
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
DOCUMENT = ROOT / "docs" / "requirements.md"
# The number of rows of each letter.
TABLES = {"A": 24, "B": 22, "C": 39, "D": 33, "E": 25}


def functions():
    """The functions of every suite, by the suite's name."""
    suites = {}
    for path in (ROOT / "Tests").rglob("*.swift"):
        text = path.read_text(encoding="utf-8")
        begins = [(found.start(), found.group(1)) for found in re.finditer(r"^(?:\s*)struct (\w+)", text, re.M)]
        begins += [(found.start(), found.group(1)) for found in re.finditer(r"^(?:\s*)final class (\w+)", text, re.M)]
        begins.sort()
        for test in re.finditer(r"@Test\b", text):
            function = re.compile(r"\bfunc (?:(\w+)|`([^`]+)`)").search(text, test.end())
            owners = [name for start, name in begins if start < test.start()]
            if function:
                for owner in owners:
                    suites.setdefault(owner, set()).add(function.group(1) or function.group(2))
    return suites


def main():
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    suites = functions()
    faults = []
    for letter, count in TABLES.items():
        rows = [line for line in lines if re.match(rf"\| {letter}\d+ \|", line)]
        numbers = [int(re.match(r"\| [A-Z](\d+)", row).group(1)) for row in rows]
        wanted = list(range(1, count + 1))
        if numbers != wanted:
            faults.append(f"the rows {letter} are {numbers}, not {wanted}")
        for row in rows:
            cells = [cell.strip() for cell in row.strip("|").split("|")]
            scripts = re.findall(r"`(scripts/[^`]+)`", cells[-1])
            tests = [test for test in re.findall(r"`(\w+)(?:/([^`]+))?`", cells[-1]) if test[0] != "scripts"]
            if not tests and not scripts:
                faults.append(f"{cells[0]}: no test")
            faults += [f"{cells[0]}: there is no {script}" for script in scripts if not (ROOT / script).exists()]
            for suite, function in tests:
                if suite not in suites or (function and function not in suites[suite]):
                    faults.append(f"{cells[0]}: there is no test {suite}{'/' + function if function else ''}")
    for fault in faults:
        print(f"docs/requirements.md: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
