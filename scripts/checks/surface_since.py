"""The changelog names the removed and changed symbols of the public interface since the last release.

Compares docs/public-surface/*.txt and docs/c-layout.txt with the files of the last tag of the form v1.2.3 before this
commit. The rule: CHANGELOG.md names a removed or changed symbol above the section of the tag's release, under the
heading "### Changed for embedders", or docs/migrating.md does; and a release in which only the third number of the
version grows has no such symbol. There an author of a program finds the necessary changes.

A symbol moved to another module of the same product is neither removed nor added.

A symbol is named in backticks, by the name in the list (`Player.seek(toClipFrame:at:)`), or by the part before the
parenthesis (`Player.seek`). The name of a removed or changed type is enough for its members. Without a tag the check
compares nothing.
"""
import re

from project import Fault
from version import SOURCE as VERSION, version

HEADING = "### Changed for embedders"
SURFACE, LAYOUT = "docs/public-surface", "docs/c-layout.txt"
SIZE = "size in bytes"


def symbols(surface: str, layout: str) -> dict:
    """The declarations of each name in both lists. The module distinguishes equal names."""
    found = {}
    for line in surface.splitlines():
        match = re.match(r"(\w+)  (.+?): (.+)$", line)
        if match:
            found.setdefault((match[1], match[2]), set()).add(match[3])
    for line in layout.splitlines():
        match = re.match(r"(\w[\w.]*)(?: at|:| =) (.+)$", line)
        if match:
            is_size = not ("." in match[1] or "=" in line)
            found.setdefault(("C", match[1]), set()).add(f"{SIZE}: {match[2]}" if is_size else match[2])
    return found


def is_wider(old: set, new: set) -> bool:
    """Whether programs that use the old declarations also work with the new ones: overloads were added, or a struct
    of C grew at its end."""
    if old <= new:
        return True
    sizes = [int(re.search(r"\d+", text)[0]) for text in (*old, *new) if text.startswith(SIZE)]
    return len(sizes) == 2 and sizes[0] < sizes[1]


def compare(old: dict, new: dict) -> tuple:
    """The added, removed and changed names, each as (module, name)."""
    added = [key for key in new if key not in old]
    removed = [key for key in old if key not in new]
    changed = [key for key in old if key in new and not is_wider(old[key], new[key])]
    return sorted(added), sorted(removed), sorted(changed)


def without_moved(added: list, removed: list, old: dict, new: dict, provided: set) -> tuple:
    """The added and removed names without the names moved unchanged between modules of the product, and the moved
    names."""
    places = {(name, frozenset(new[module, name])): module for module, name in added if module in provided}
    moved = {(module, name): places[name, frozenset(old[module, name])] for module, name in removed
             if module in provided and (name, frozenset(old[module, name])) in places}
    arrived = {(target, name) for (_, name), target in moved.items()}
    return [key for key in added if key not in arrived], [key for key in removed if key not in moved], moved


def named_in(changelog: str, release: str) -> set:
    """The names under the heading, in the sections above a release."""
    names, is_inside = set(), False
    for line in changelog.splitlines():
        if re.match(rf"## {re.escape(release)}\b", line):
            break
        if re.match("##?#? ", line):
            is_inside = line.strip() == HEADING
        elif is_inside:
            names.update(re.findall(r"`([^`]+)`", line))
    return names


def text_of(project, path: str) -> str:
    """The text of a file; empty without the file."""
    return project.text(path) if path in project.files else ""


def migrated(project, release: str) -> set:
    """The names on the page for programs of a release."""
    text = text_of(project, "docs/migrating.md")
    return set(re.findall(r"`([^`\n]+)`", text)) if text.startswith(f"# Migrating from {release}\n") else set()


def is_named(name: str, removed: set, names: set) -> bool:
    """Whether a name, or the removed or changed type around the name, is among names."""
    parts = name.split("(")[0].split(".")
    parents = {".".join(parts[:count]) for count in range(1, len(parts))} & removed
    return bool(({name, name.split("(")[0]} | parents) & names)


def changes(project, tag: str) -> tuple:
    """The added, removed and changed names since a tag, and the names moved within the product, with their module."""
    # A release had one list for all products.
    names = project.git("ls-tree", "-r", "--name-only", tag, SURFACE, f"{SURFACE}.txt").split()
    if not names:
        raise Fault(f"{SURFACE}: {tag} has no such lists")
    lists = "".join(project.text(path) for path in project.matching(rf"^{SURFACE}/[^/]*\.txt$"))
    new = symbols(lists, text_of(project, LAYOUT))
    old = symbols("".join(project.git("show", f"{tag}:{name}") for name in names), project.git("show", f"{tag}:{LAYOUT}"))
    added, removed, changed = compare(old, new)
    exports = "".join(project.text(path) for path in project.matching(r"^Sources/Woodshed[^/]*/Woodshed[^/]*\.swift$"))
    added, removed, moved = without_moved(
        added, removed, old, new, set(re.findall(r"^@_exported public import (\w+)$", exports, re.M)))
    return added, removed, changed, moved


def show(project, tag=None):
    """The changes since a tag, and their faults."""
    tag = tag or project.last_release()
    if not tag:
        yield "no release to compare with"
        return
    added, removed, changed, moved = changes(project, tag)
    for (module, name), target in sorted(moved.items()):
        yield f"moved  {module} to {target}  {name}"
    for word, keys in (("added", added), ("removed", removed), ("changed", changed)):
        for module, name in keys:
            yield f"{word}  {module}  {name}"
    yield f"since {tag} {len(added)} added, {len(removed)} removed, {len(changed)} changed"
    yield from faults(project, tag)


def faults(project, tag=None):
    tag = tag or project.last_release()
    if not tag:
        return
    _, removed, changed, _ = changes(project, tag)
    release = tag.removeprefix("v")
    names = named_in(project.text("CHANGELOG.md"), release) | migrated(project, release)
    gone = {name for _, name in removed + changed}
    for module, name in removed + changed:
        if not is_named(name, gone, names):
            yield f'CHANGELOG.md: {name} of {module} was removed or changed; name it under "{HEADING}", or in docs/migrating.md'
    own = version(project)
    if (removed or changed) and own != release and own.split(".")[:2] == release.split(".")[:2]:
        yield f"{VERSION}: {own} follows {release}, so nothing may be removed or changed; raise the first or the second number"
