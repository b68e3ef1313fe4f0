#!/usr/bin/env python3
"""Compares the interface for C with the last release: declarations in compiled programs must stay the same.

    scripts/checks/c-abi.py            compares CSources/CWoodshed with the last tag v*; without a tag the script says
                                       so
    scripts/checks/c-abi.py OLD NEW    compares two folders like CSources/CWoodshed

The debugging information of the library describes Swift's types, not the header's types. So the compiler lists the
declarations of woodshed.h, and the script builds from each header and version script a library in C with empty
definitions of all declarations. abidiff compares both libraries. scripts/tests/test-c.sh checks that the real library
exports every declaration of the header.

New functions, types, enumerators and constants pass, and so do structs grown and members of unions added as
scripts/checks/c-layout.py permits. Each addition needs a higher WOODSHED_API_VERSION, because a program compares this
version before using the addition. The comment of a new function names its first version.

A deliberate break raises the hundreds of WOODSHED_API_VERSION. Then the script only checks that the version script has
another node, so the dynamic linker refuses a program that was compiled before.
"""
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

from c_header import Unreadable, paths, read

root = pathlib.Path(__file__).resolve().parents[2]
interface = "CSources/CWoodshed"


def fail(*lines):
    print(*(f"c-abi: {line}" for line in lines), sep="\n", file=sys.stderr)
    sys.exit(1)


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=root)
    return done.stdout.strip() if done.returncode == 0 else ""


def last_release(folder):
    """Unpacks the interface of the last tag; ends the program without a tag."""
    if not (root / ".git").exists():
        print("not run here: interface of the last release: this is no git repository")
        sys.exit(77)
    tag = output("git", "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*")
    if not tag:
        # The newest release may get its tag soon; every earlier release must have a tag.
        releases = re.findall(r"^## \d.*", (root / "CHANGELOG.md").read_text(), flags=re.M)
        if len(releases) > 1:
            fail("there is no tag of a release; run: git fetch --tags")
        print("c-abi: nothing has been released yet, so there is nothing to compare with")
        sys.exit()
    archive = folder / "release.tar"
    with archive.open("wb") as file:
        if subprocess.run(["git", "archive", tag, interface], stdout=file, stderr=subprocess.DEVNULL, cwd=root).returncode != 0:
            print(f"c-abi: {tag} has no interface for C, so there is nothing to compare with")
            sys.exit()
    with tarfile.open(archive) as file:
        file.extractall(folder)
    return folder / interface, tag


def stand_in(interface, declared, folder):
    """Builds a library with debugging information that defines the header's declarations; returns the library."""
    folder.mkdir()
    header = interface / "include/woodshed.h"
    lines = ["#include <stddef.h>", f'#include "{header.resolve()}"']
    for name, (_, parameters) in declared.functions.items():
        # The type of a call is the function's result type, in any spelling.
        returned = f"__typeof__({name}({', '.join(f'*(__typeof__({kind}) *)0' for kind in parameters)}))"
        listed = ", ".join(f"__typeof__({kind}) parameter{place}" for place, kind in enumerate(parameters)) or "void"
        lines.append(f"{returned} {name}({listed}) {{ __builtin_trap(); }}")
    # Types named by no function, such as the types of numbers in a struct.
    lines += [f"{name} *woodshed_abi_type_{name};" for name in declared.types]
    # Each field's type alone, so abidiff also compares the fields of a grown struct.
    lines += [
        f"__typeof__((({record.kind} {name} *)0)->{path}) *woodshed_abi_field_{name}_{path.replace('.', '__')};"
        for name, record in declared.records.items() if not record.inside for path, _ in paths(declared.records, name)]
    source, script, library = folder / "stand-in.c", folder / "stand-in.map", folder / "libwoodshed.so.1"
    source.write_text("\n".join(lines) + "\n")
    script.write_text((interface / "libwoodshed.map").read_text().replace("global:", "global: woodshed_abi_*;", 1))
    subprocess.run(
        ["gcc", "-g", "-O0", "-shared", "-fPIC", source, f"-Wl,--version-script={script}", "-Wl,-soname,libwoodshed.so.1", "-o", library], check=True)
    return library


def names(declared):
    """Everything in a header that a program can name."""
    found = {*declared.functions, *declared.types, *declared.enumerations, *declared.constants}
    found |= {enumerator for numbers in declared.enumerations.values() for enumerator in numbers}
    for name, record in declared.records.items():
        if not record.inside:
            found |= {name, *(f"{name}.{path}" for path, _ in paths(declared.records, name))}
    return found


def node(interface):
    """The node of versions of all exported functions."""
    return re.search(r"^(\w+) \{", (interface / "libwoodshed.map").read_text(), flags=re.M)[1]


def since(header):
    """The first version of each function, from the comments."""
    lines = subprocess.run([root / "scripts/checks/c-comments.py", "--since", header], check=True, capture_output=True, text=True).stdout.splitlines()
    return {name: int(number) for name, number in map(str.split, lines)}


def compare(old, new, folder):
    """The faults, as a list of sentences, the number of functions, and the number of new functions; None for another
    interface."""
    headers = [interface / "include/woodshed.h" for interface in (old, new)]
    old_declared, declared = map(read, headers)
    older, newer = (each.constants["WOODSHED_API_VERSION"] for each in (old_declared, declared))
    if newer // 100 > older // 100:
        same = node(old) == node(new)
        faults = [f"{newer} is another interface than {older}, and libwoodshed.map still has the node {node(new)}"] if same else []
        return faults, len(declared.functions), None
    layout = subprocess.run([root / "scripts/checks/c-layout.py", "--since", *headers], capture_output=True, text=True)
    faults, grown = layout.stderr.splitlines(), layout.stdout.split()
    if layout.returncode and not faults:
        faults.append(f"c-layout.py ended with {layout.returncode}")
    old_library, new_library = stand_in(old, old_declared, folder / "old"), stand_in(new, declared, folder / "new")
    suppressions = folder / "grown.abignore"
    suppressions.write_text("".join(
        f"[suppress_type]\n  name = {name}\n  type_kind = struct\n  has_data_member_inserted_at = end\n\n" for name in grown))
    difference = subprocess.run(
        ["abidiff", "--no-default-suppression", "--no-show-locs", "--no-added-syms", "--suppressions", suppressions, old_library, new_library],
        capture_output=True, text=True)
    if difference.returncode:
        faults += (difference.stdout + difference.stderr).splitlines() + [f"abidiff ended with {difference.returncode}"]
    added = names(declared) - names(old_declared)
    functions = sorted(added & set(declared.functions))
    if newer < older:
        faults.append(f"WOODSHED_API_VERSION was {older}, and is {newer}")
    if (added or grown) and newer <= older:
        faults.append(f"something is new, and WOODSHED_API_VERSION is still {older}: {', '.join(sorted(added) + grown)}")
    said = since(headers[1])
    faults += [f"{name} is new in {newer}, and says that it is there since {said.get(name, 0)}" for name in functions
               if not older < said.get(name, 0) <= newer]
    return faults, len(declared.functions), len(functions)


def main():
    # Only this script's suppressions apply, none of the user's.
    for variable in ("LIBABIGAIL_DEFAULT_USER_SUPPRESSION_FILE", "LIBABIGAIL_DEFAULT_SYSTEM_SUPPRESSION_FILE"):
        os.environ.pop(variable, None)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if len(sys.argv) == 3:
            (old, new), tag = map(pathlib.Path, sys.argv[1:]), sys.argv[1]
        else:
            old, tag = last_release(folder)
            new = root / interface
        faults, count, added = compare(old, new, folder)
    if faults:
        fail(*faults, f"programs that were compiled with {tag} would break")
    if added is None:
        print(f"c-abi: {count} functions of another interface than {tag} has; programs must be compiled again")
        return
    print(f"c-abi: {count} functions, {added} of them new since {tag}; nothing else has changed for programs that are compiled")


try:
    main()
except Unreadable as error:
    fail(str(error))
