"""The folders of each module depend on each other in one direction only.

A folder depends on another folder if its files name a type declared there. Files beside a module's folders belong to
all folders. The check ignores a type with two declarations in a module, because the name alone does not identify the
type.
"""
import re
from collections import defaultdict

declaration = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|final|indirect|nonisolated)\s+)*"
    r"(?:struct|class|enum|protocol|actor|typealias)\s+([A-Z]\w*)", re.M)


def folder_of(path):
    """The folder within a module of Sources; None for a file beside the folders."""
    parts = path.split("/")
    return parts[2] if len(parts) > 3 else None


def dependencies(project, paths):
    """The dependencies of each folder of a module: other folders, each with the needed types."""
    texts = {path: re.sub(r"^(?:@\S+ )*(?:\w+ )?import \S+$", "", project.code(path), flags=re.M) for path in paths}
    homes = defaultdict(set)
    # Types nested in the folder's own types.
    nested = defaultdict(set)
    for path, text in texts.items():
        for name in declaration.findall(text):
            homes[name].add(folder_of(path))
        nested[folder_of(path)] |= set(re.findall(r"^ +.*?\b(?:struct|class|enum|typealias)\s+([A-Z]\w*)", text, re.M))
    needs = defaultdict(lambda: defaultdict(set))
    for path, text in texts.items():
        folder = folder_of(path)
        if folder is None:
            continue
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


def faults(project):
    modules = defaultdict(list)
    for path in project.matching(r"^Sources/.*/.*\.swift$"):
        modules[path.split("/")[1]].append(path)
    for module, paths in modules.items():
        needs, told = dependencies(project, paths), set()
        for folder in sorted(needs):
            circle = way(needs, folder, folder)
            if circle and frozenset(circle) not in told:
                told.add(frozenset(circle))
                steps = ", ".join(f"{one} needs {min(needs[one][other])} of {other}" for one, other in zip(circle, circle[1:]))
                yield f"Sources/{module}: a circle: {steps}"
