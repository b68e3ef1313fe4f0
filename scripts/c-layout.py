#!/usr/bin/env python3
"""Sizes, offsets and values of woodshed.h, which programs contain when they are compiled: they must never change.

    scripts/c-layout.py            compares them with docs/c-layout.txt; lines may only be added, and fields only at the end of a struct
    scripts/c-layout.py --write    writes docs/c-layout.txt
"""
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
header = root / "CSources/CWoodshed/include/woodshed.h"
table = root / "docs/c-layout.txt"


def layout():
    """The layout as the C compiler has it, a line each."""
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
    lines = ["#include <stdio.h>", "#include <woodshed.h>", "int main(void) {"]
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", text, flags=re.S):
        # What has an INIT macro or comes from the library in arrays has to keep its size for a version.
        for declaration in body.split(";"):
            field = re.search(r"(\w+)\s*$", declaration.strip())
            if field:
                lines.append(
                    f'printf("{name}.{field[1]} at %zu, %zu bytes\\n", offsetof({name}, {field[1]}), sizeof((({name} *)0)->{field[1]}));')
        lines.append(f'printf("{name}: %zu bytes\\n", sizeof({name}));')
    for body in re.findall(r"typedef enum \w+ \{(.*?)\}", text, flags=re.S):
        for name in re.findall(r"^\s*(\w+)\s*=", body, flags=re.M):
            lines.append(f'printf("{name} = %d\\n", (int){name});')
    for name in re.findall(r"^#define (\w+) +[(\d-]", text, flags=re.M):
        lines.append(f'printf("{name} = %d\\n", (int){name});')
    lines.append("}")
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "layout.c"), pathlib.Path(folder, "layout")
        source.write_text("\n".join(lines))
        subprocess.run(["cc", "-I", header.parent, source, "-o", program], check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


now = layout()
if sys.argv[1:] == ["--write"]:
    table.write_text("\n".join(["# Sizes, offsets and values of woodshed.h; made by scripts/c-layout.py --write."] + now) + "\n")
    sys.exit()
known = [line for line in table.read_text().splitlines() if not line.startswith("#")]
lost = [line for line in known if line not in now]
# The size of a struct may grow with fields at its end, which are listed as they are added.
added = [line for line in now if line not in known]
for line in lost:
    print(f"c-layout: no longer true: {line}", file=sys.stderr)
for line in added:
    print(f"c-layout: not in {table.relative_to(root)}: {line}; if that is right, run scripts/c-layout.py --write", file=sys.stderr)
sys.exit(1 if lost or added else 0)
