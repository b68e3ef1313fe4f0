"""packaging/debian/libwoodshed1.symbols lists the library's symbols, each with its first version.

A program's package then depends on the oldest library with all used symbols, and `make deb` fails if the built library
lacks a symbol. The list is made from woodshed.h and libwoodshed.map. Symbols of the last release keep their version; a
new symbol gets the present version, so write the list also after a change of the version.
"""
import difflib
import re
import subprocess

from c_header import Unreadable, read
from project import Fault
from version import version

FILE, SOURCES = "packaging/debian/libwoodshed1.symbols", "CSources/CWoodshed"


def made(project) -> str:
    # The file of the last release; without git, as in a source tarball, the present file.
    if (project.root / ".git").exists():
        tag = project.last_release()
        released = project.git("show", f"{tag}:{FILE}") if tag else ""
    else:
        released = project.text(FILE)
    versions = dict(line.split()[:2] for line in released.splitlines() if "@" in line)
    # One node, which the script of the linker gives to every exported symbol.
    nodes = re.findall(r"^([A-Z_0-9]+) \{$", project.text(f"{SOURCES}/libwoodshed.map"), re.M)
    if len(nodes) != 1:
        raise Fault(f"{SOURCES}/libwoodshed.map: has not one node; bring scripts/checks/c_symbols.py up to date")
    header = project.root / SOURCES / "include/woodshed.h"
    try:
        names = [f"{name}@{nodes[0]}" for name in sorted(read(header).functions)]
    except (Unreadable, subprocess.CalledProcessError) as error:
        raise Fault(f"{SOURCES}/include/woodshed.h: {getattr(error, 'stderr', error)}") from error
    own = version(project)
    return "\n".join(["libwoodshed.so.1 libwoodshed1 #MINVER#", "* Build-Depends-Package: libwoodshed-dev",
                      *(f" {name} {versions.get(name, own)}" for name in names), ""])


def write(project) -> None:
    (project.root / FILE).write_text(made(project))


def faults(project):
    present, right = (text.splitlines() for text in (project.text(FILE), made(project)))
    for kind, first, last, start, end in difflib.SequenceMatcher(None, present, right, autojunk=False).get_opcodes():
        if kind != "equal":
            yield (f"{FILE}:{first + 1}: has {present[first:last]}, not {right[start:end]}; "
                   "run: scripts/checks/check.py --write c-symbols")
