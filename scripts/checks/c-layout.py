#!/usr/bin/env python3
"""Sizes, offsets and values of woodshed.h, which compiled programs contain: these must never change.

    scripts/checks/c-layout.py                  compares the layout with docs/c-layout.txt, which must have the same
                                                lines
    scripts/checks/c-layout.py --write          writes docs/c-layout.txt
    scripts/checks/c-layout.py --since OLD NEW  compares two headers: fails if NEW lacks a part of OLD, and prints the
                                                structs with permitted growth

A struct that begins with its size may grow, but only behind its old end: an older program has never set a field in
former padding. So may a struct in a union that keeps its size, as the data of an event. A union may get further
members.
"""
import pathlib
import re
import sys

from c_header import Unreadable, layout

root = pathlib.Path(__file__).resolve().parents[2]
header = root / "CSources/CWoodshed/include/woodshed.h"
table = root / "docs/c-layout.txt"


def since(old, new):
    """The untrue lines of an older layout, and the structs with permitted growth."""
    lost = [line for line in old if line not in new]
    added = [line for line in new if line not in old]
    faults, grown = [], []
    for line in lost:
        if line.startswith("WOODSHED_API_VERSION "):
            continue
        struct = re.fullmatch(r"(\w+): (\d+) bytes", line)
        places = [int(place) for place in re.findall(rf"^{struct[1]}\.[\w.]+ at (\d+),", "\n".join(added), flags=re.M)] if struct else []
        unions = re.findall(rf"^(\w+)\.\w+ at 0, {struct[1]}$", "\n".join(old), flags=re.M) if struct else []
        may_grow = struct and (f"{struct[1]}.size at 0, 4 bytes" in old or unions and not any(
            each.startswith(f"{union}: ") for union in unions for each in lost))
        if places and min(places) >= int(struct[2]) and may_grow:
            grown.append(struct[1])
        else:
            faults.append(f"no longer true: {line}")
    # A field in former padding does not change the size of the struct. A further member of a union is no such field.
    for line in added:
        field = re.match(r"(\w+)\.[\w.]+ at ", line)
        if field and line.endswith(" bytes") and field[1] not in grown and re.search(rf"^{field[1]}: ", "\n".join(old), flags=re.M):
            faults.append(f"not at the end of a struct that begins with its size: {line}")
    return faults, grown


def main():
    if sys.argv[1:2] == ["--since"]:
        faults, grown = since(*(layout(pathlib.Path(path)) for path in sys.argv[2:4]))
        for fault in faults:
            print(f"c-layout: {fault}", file=sys.stderr)
        print("".join(f"{name}\n" for name in grown), end="")
        sys.exit(1 if faults else 0)
    now = layout(header)
    if sys.argv[1:] == ["--write"]:
        table.write_text("\n".join(["# Sizes, offsets and values of woodshed.h; made by scripts/checks/c-layout.py --write."] + now) + "\n")
        return
    known = [line for line in table.read_text().splitlines() if not line.startswith("#")]
    lost = [line for line in known if line not in now]
    added = [line for line in now if line not in known]
    for line in lost:
        print(f"c-layout: no longer true: {line}", file=sys.stderr)
    for line in added:
        print(f"c-layout: not in {table.relative_to(root)}: {line}; if that is right, run scripts/checks/c-layout.py --write", file=sys.stderr)
    sys.exit(1 if lost or added else 0)


try:
    main()
except Unreadable as error:
    sys.exit(f"c-layout: {error}")
