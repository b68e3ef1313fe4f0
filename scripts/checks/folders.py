#!/usr/bin/env python3
"""Checks that the folders of each module depend on each other in one direction only.

  scripts/checks/folders.py [SOURCES]     SOURCES holds a folder for each module; Sources by default

A folder depends on another folder if its files name a type declared there. Files beside a module's folders belong to all folders.
The check ignores a type with two declarations in a module, because the name alone does not identify the type.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

declaration = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|final|indirect|nonisolated)\s+)*"
    r"(?:struct|class|enum|protocol|actor|typealias)\s+([A-Z]\w*)", re.M)


def code(file):
    """A file's text without imports, comments and the contents of string literals."""
    text = re.sub(r"//[^\n]*", "", file.read_text())
    text = re.sub(r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"^(?:@\S+ )*(?:\w+ )?import \S+$", "", text, flags=re.M)


def dependencies(module):
    """The dependencies of each folder: other folders, each with the needed types."""
    texts = {file: code(file) for file in sorted(module.rglob("*.swift"))}
    homes = defaultdict(set)
    for file, text in texts.items():
        for name in declaration.findall(text):
            homes[name].add(file.relative_to(module).parts[0] if file.parent != module else None)
    # Types nested in the folder's own types.
    nested = defaultdict(set)
    for file, text in texts.items():
        if file.parent != module:
            nested[file.relative_to(module).parts[0]] |= set(re.findall(r"^ +.*?\b(?:struct|class|enum|typealias)\s+([A-Z]\w*)", text, re.M))
    needs = defaultdict(lambda: defaultdict(set))
    for file, text in texts.items():
        if file.parent == module:
            continue
        folder = file.relative_to(module).parts[0]
        for name in homes.keys() & set(re.findall(r"\b[A-Z]\w*", text)) - nested[folder]:
            home = next(iter(homes[name])) if len(homes[name]) == 1 else None
            if home not in (None, folder):
                needs[folder][home].add(name)
    return needs


def way(needs, start, goal, seen=()):
    """The folders on a path of dependencies from one folder to another, or None."""
    for folder in needs.get(start, {}):
        if folder == goal:
            return [start, goal]
        if folder not in seen and (rest := way(needs, folder, goal, (*seen, folder))):
            return [start, *rest]
    return None


def main():
    sources = Path(sys.argv[1] if len(sys.argv) > 1 else "Sources")
    faults = 0
    for module in sorted(path for path in sources.iterdir() if path.is_dir()):
        needs, told = dependencies(module), set()
        for folder in sorted(needs):
            circle = way(needs, folder, folder)
            if circle and frozenset(circle) not in told:
                told.add(frozenset(circle))
                faults += 1
                steps = ", ".join(
                    f"{one} needs {min(needs[one][other])} of {other}" for one, other in zip(circle, circle[1:]))
                print(f"folders: {module.name}: a circle: {steps}", file=sys.stderr)
    sys.exit(1 if faults else 0)


main()
