#!/usr/bin/env python3
"""The list of every public symbol, made of the symbol graphs that the compiler has written.

  scripts/public-surface.py FILE GRAPH...          writes the list
  scripts/public-surface.py --check FILE GRAPH...  fails when FILE is another list; changes nothing
  scripts/public-surface.py --count GRAPH...       how many symbols each module has

One line a symbol: its module, its name and its declaration, so that a new one, one that went, and one that is declared otherwise
show in a review. Symbols without a place in the source were written by the compiler, and are left out.
"""
import collections
import difflib
import json
import pathlib
import sys

HEADER = "# Every public symbol, module by module; made by `make public-surface`, checked by `make docs`.\n"


def symbols(graphs: list) -> list:
    """(module, name, declaration) of each symbol, sorted."""
    found = set()
    for graph in graphs:
        with open(graph, encoding="utf-8") as file:
            content = json.load(file)
        module = content["module"]["name"]
        for symbol in content["symbols"]:
            if "location" not in symbol:
                continue
            declaration = "".join(part["spelling"] for part in symbol["declarationFragments"])
            found.add((module, ".".join(symbol["pathComponents"]), " ".join(declaration.split())))
    return sorted(found)


def main() -> int:
    arguments = sys.argv[1:]
    mode = arguments.pop(0) if arguments and arguments[0] in ("--check", "--count") else None
    if len(arguments) < (1 if mode == "--count" else 2):
        print(__doc__, file=sys.stderr)
        return 2
    if mode == "--count":
        counts = collections.Counter(module for module, _, _ in symbols(arguments))
        for module in sorted(counts):
            print(f"{module} {counts[module]}")
        print(f"all {sum(counts.values())}")
        return 0
    path = pathlib.Path(arguments[0])
    made = HEADER + "".join(f"{module}  {name}: {text}\n" for module, name, text in symbols(arguments[1:]))
    if mode is None:
        path.write_text(made, encoding="utf-8")
        return 0
    listed = path.read_text(encoding="utf-8") if path.exists() else ""
    if listed == made:
        return 0
    changes = difflib.unified_diff(listed.splitlines(), made.splitlines(), "listed", "public", lineterm="", n=0)
    print(*changes, sep="\n", file=sys.stderr)
    print(f"public surface: {path} is out of date. If each change is meant: make public-surface", file=sys.stderr)
    return 1


sys.exit(main())
