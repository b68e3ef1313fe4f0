#!/usr/bin/env python3
"""The checks of the sources and pages that need no build. Prints each fault as `file:line: fault`, and fails if there
is a fault.

  scripts/checks/check.py [CHECK]...                default: all checks
  scripts/checks/check.py --write CHECK             writes the file that modules or c-symbols compares
  scripts/checks/check.py --show CHECK [ARGUMENT]   prints the table of words, the counts of leaf-fields or
                                                    stored-properties, or the changes of surface-since, the last release
                                                    or the tag ARGUMENT

`--in FOLDER` as the first argument checks another folder. Each check is a module beside this file: `faults(project)`
gives its faults, `write(project)` and `show(project)` do the rest.
"""
import concurrent.futures
import pathlib
import sys

import c_symbols
import dependencies
import folders
import house_rules
import leaf_fields
import modules
import requirements
import stored_properties
import surface_since
import version
import words
from project import Fault, Project

CHECKS = {check.__name__.replace("_", "-"): check for check in (
    house_rules, modules, folders, leaf_fields, stored_properties, words, requirements, version, surface_since, dependencies, c_symbols)}


def faults(name, project):
    """The faults that a check finds, and the fault that ends it."""
    found = []
    try:
        for fault in CHECKS[name].faults(project):
            found.append(fault)
    except (Fault, OSError) as fault:
        found.append(str(fault))
    return [f"{fault} [{name}]" for fault in found]


def main():
    arguments, root = sys.argv[1:], pathlib.Path(__file__).resolve().parents[2]
    if arguments[:1] == ["--in"] and len(arguments) > 1:
        root, arguments = arguments[1], arguments[2:]
    action = arguments.pop(0).removeprefix("--") if arguments[:1] in (["--write"], ["--show"]) else "faults"
    names = arguments[:1] if action != "faults" else arguments or list(CHECKS)
    if not names or not all(hasattr(CHECKS.get(name), action) for name in names):
        sys.exit(f"{__doc__}\nChecks: {', '.join(CHECKS)}")
    try:
        project = Project(root)
        if action == "write":
            CHECKS[names[0]].write(project)
        elif action == "show":
            print(*CHECKS[names[0]].show(project, *arguments[1:]), sep="\n")
    except Fault as fault:
        sys.exit(str(fault))
    if action != "faults":
        return 0
    # Two checks wait for programs.
    with concurrent.futures.ThreadPoolExecutor() as threads:
        found = [fault for some in threads.map(lambda name: faults(name, project), names) for fault in some]
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
