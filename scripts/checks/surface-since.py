#!/usr/bin/env python3
"""Lists the changes of the public interface since a release.

  scripts/checks/surface-since.py [TAG] [--in FOLDER]    since TAG; without TAG since the last tag of the form v1.2.3 before this commit

Compares docs/public-surface/*.txt and docs/c-layout.txt with the tag's files, and prints added, removed and changed symbols. The rule:
CHANGELOG.md names a removed or changed symbol above the section of the tag's release, under the heading "### Changed for embedders", or
docs/migrating.md does; and a release in which only the third number of the version grows has no such symbol. There an author of a
program finds the necessary changes.

A symbol moved to another module of the same product is neither removed nor added.

A symbol is named in backticks, by the name in the list (`Player.seek(toClipFrame:at:)`), or by the part before the parenthesis
(`Player.seek`). The name of a removed or changed type is enough for its members. Without a tag the script compares nothing.
"""
import pathlib
import re
import subprocess
import sys

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
    """Whether programs that use the old declarations also work with the new ones: overloads were added, or a struct of C grew at its end."""
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
    """The added and removed names without the names moved unchanged between modules of the product, and the moved names."""
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


def migrated(root: pathlib.Path, release: str) -> set:
    """The names on the page for programs of a release."""
    page = root / "docs/migrating.md"
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    return set(re.findall(r"`([^`\n]+)`", text)) if text.startswith(f"# Migrating from {release}\n") else set()


def is_named(name: str, removed: set, names: set) -> bool:
    """Whether a name, or the removed or changed type around the name, is among names."""
    parts = name.split("(")[0].split(".")
    parents = {".".join(parts[:count]) for count in range(1, len(parts))} & removed
    return bool(({name, name.split("(")[0]} | parents) & names)


def git(root: pathlib.Path, *arguments: str) -> str:
    """The output of git; None after a failure."""
    made = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)
    return made.stdout if made.returncode == 0 else None


def main() -> int:
    arguments = sys.argv[1:]
    root = pathlib.Path(__file__).resolve().parents[2]
    if "--in" in arguments:
        place = arguments.index("--in")
        root = pathlib.Path(arguments[place + 1])
        del arguments[place:place + 2]
    tag = arguments[0] if arguments else (git(root, "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*") or "").strip()
    if not tag:
        print("surface: no release to compare with")
        return 0
    # A release had one list for all products.
    names = (git(root, "ls-tree", "-r", "--name-only", tag, SURFACE, f"{SURFACE}.txt") or "").split()
    if not names:
        print(f"surface: {tag} has no {SURFACE}", file=sys.stderr)
        return 1
    lists = "".join(file.read_text(encoding="utf-8") for file in sorted((root / SURFACE).glob("*.txt")))
    new = symbols(lists, (root / LAYOUT).read_text(encoding="utf-8") if (root / LAYOUT).exists() else "")
    old = symbols("".join(git(root, "show", f"{tag}:{name}") or "" for name in names), git(root, "show", f"{tag}:{LAYOUT}") or "")
    added, removed, changed = compare(old, new)
    exports = "".join(file.read_text(encoding="utf-8") for file in (root / "Sources").glob("Woodshed*/Woodshed*.swift"))
    added, removed, moved = without_moved(
        added, removed, old, new, set(re.findall(r"^@_exported public import (\w+)$", exports, re.M)))
    for (module, name), target in sorted(moved.items()):
        print(f"moved  {module} to {target}  {name}")
    for word, keys in (("added", added), ("removed", removed), ("changed", changed)):
        for module, name in keys:
            print(f"{word}  {module}  {name}")
    print(f"surface: since {tag} {len(added)} added, {len(removed)} removed, {len(changed)} changed")

    release = tag.removeprefix("v")
    names = named_in((root / "CHANGELOG.md").read_text(encoding="utf-8"), release) | migrated(root, release)
    gone = {name for _, name in removed + changed}
    faults = [f'{name} was removed or changed; name it in CHANGELOG.md under "{HEADING}", or in docs/migrating.md'
              for _, name in removed + changed if not is_named(name, gone, names)]
    source = (root / "Sources/Woodshed/Version.swift").read_text(encoding="utf-8")
    version = re.search(r'woodshedVersion = "([\d.]+)"', source)[1]
    if (removed or changed) and version != release and version.split(".")[:2] == release.split(".")[:2]:
        faults.append(f"version {version} follows {release}, so nothing may be removed or changed; raise the first or the second number")
    for fault in faults:
        print(f"surface: {fault}", file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
