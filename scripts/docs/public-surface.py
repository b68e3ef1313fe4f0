#!/usr/bin/env python3
"""The list of all public symbols, made from the compiler's symbol graphs.

  scripts/docs/public-surface.py FILE GRAPH...          writes the list
  scripts/docs/public-surface.py --check FILE GRAPH...  fails if FILE is another list; changes nothing
  scripts/docs/public-surface.py --count GRAPH...       prints the number of symbols of each module
  scripts/docs/public-surface.py --complete SOURCES PRODUCT,... GRAPH...
      fails if a declaration provided by `import PRODUCT` names a type of a module not provided; SOURCES has a folder
      for each module, and its `@_exported` imports name further provided modules

Each symbol has one line with its module, name and declaration, so that new, removed and changed symbols are visible in
a review. The list leaves out symbols without a location in the source, which the compiler generated.
"""
import collections
import difflib
import json
import pathlib
import re
import sys

HEADER = "# Every public symbol, module by module; made by `make public-surface`, checked by `make docs`.\n"


def symbols(graphs: list) -> list:
    """The (module, name, declaration) of each symbol, sorted."""
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


def named_modules(graphs: list) -> dict:
    """The modules whose types each module's public declarations name, with one such declaration for each."""
    found = collections.defaultdict(dict)
    for graph in graphs:
        with open(graph, encoding="utf-8") as file:
            content = json.load(file)
        for symbol in content["symbols"]:
            for part in symbol["declarationFragments"]:
                # A type's precise identifier begins with the length of the module's name, and the name.
                named = re.match(r"s:(\d+)(\w+)", part.get("preciseIdentifier", ""))
                if named:
                    module = named[2][:int(named[1])]
                    found[content["module"]["name"]].setdefault(module, ".".join(symbol["pathComponents"]))
    return found


def gaps(sources: pathlib.Path, products: list, graphs: list) -> list:
    """Descriptions of types named by public declarations, but unusable in a program with only the product's import."""
    modules = [folder.name for folder in sources.iterdir() if folder.is_dir()]
    exports = {module: {name for file in (sources / module).rglob("*.swift")
                        for name in re.findall(r"^@_exported public import (\w+)$", file.read_text(encoding="utf-8"), re.M)}
               for module in modules}
    named = named_modules(graphs)
    found = []
    for product in products:
        brought, new = set(), {product}
        while new:
            brought |= new
            new = {name for module in new for name in exports[module]} - brought
        found += [f"import {product}: {module}.{declaration} names a type of {other}, which does not come along"
                  for module in sorted(brought) for other, declaration in sorted(named[module].items())
                  if other in modules and other not in brought]
    return found


def main() -> int:
    arguments = sys.argv[1:]
    mode = arguments.pop(0) if arguments and arguments[0] in ("--check", "--count", "--complete") else None
    if len(arguments) < {"--count": 1, "--complete": 3}.get(mode, 2):
        print(__doc__, file=sys.stderr)
        return 2
    if mode == "--count":
        counts = collections.Counter(module for module, _, _ in symbols(arguments))
        for module in sorted(counts):
            print(f"{module} {counts[module]}")
        print(f"all {sum(counts.values())}")
        return 0
    if mode == "--complete":
        missing = gaps(pathlib.Path(arguments[0]), arguments[1].split(","), arguments[2:])
        print(*(f"public surface: {line}" for line in missing), sep="\n", file=sys.stderr, end="\n" if missing else "")
        return 1 if missing else 0
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
