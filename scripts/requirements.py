#!/usr/bin/env python3
"""Checks docs/requirements.md: the rows D1 to D33 are all there, in order, and every test that it names exists.

    scripts/requirements.py [ROOT]      default: the project's folder
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
DOCUMENT = ROOT / "docs" / "requirements.md"


def functions():
    """The functions of every suite, by the suite's name."""
    suites = {}
    for path in (ROOT / "Tests").rglob("*.swift"):
        text = path.read_text(encoding="utf-8")
        begins = [(found.start(), found.group(1)) for found in re.finditer(r"^(?:\s*)struct (\w+)", text, re.M)]
        begins += [(found.start(), found.group(1)) for found in re.finditer(r"^(?:\s*)final class (\w+)", text, re.M)]
        begins.sort()
        for test in re.finditer(r"@Test\b", text):
            function = re.compile(r"\bfunc (\w+)").search(text, test.end())
            owners = [name for start, name in begins if start < test.start()]
            if function:
                for owner in owners:
                    suites.setdefault(owner, set()).add(function.group(1))
    return suites


def main():
    rows = [line for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if re.match(r"\| D\d+ \|", line)]
    faults = []
    numbers = [int(re.match(r"\| D(\d+)", row).group(1)) for row in rows]
    if numbers != list(range(1, 34)):
        faults.append(f"the rows are {numbers}, not 1 to 33")
    suites = functions()
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        tests = re.findall(r"`(\w+)(?:/(\w+))?`", cells[-1])
        if not tests:
            faults.append(f"{cells[0]}: no test")
        for suite, function in tests:
            if suite not in suites or (function and function not in suites[suite]):
                faults.append(f"{cells[0]}: there is no test {suite}{'/' + function if function else ''}")
    for fault in faults:
        print(f"docs/requirements.md: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
